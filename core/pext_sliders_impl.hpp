// Sliders by PEXT: one load of the attack set. Fast on Intel since Haswell and AMD since Zen 3;
// earlier AMD runs PEXT in microcode (https://www.chessprogramming.org/BMI2#PEXT_Bitboards).
// Included where moves_impl.hpp is, inside a region that allows BMI2. No include guard.
struct PextSliders {
    MANSUBA_INLINE static Bitboard rook(Square s, Bitboard occ) {
        const PextTable::Entry& e = kPextTable.rook[s];
        return e.attacks[_pext_u64(occ, e.mask)];
    }
    MANSUBA_INLINE static Bitboard bishop(Square s, Bitboard occ) {
        const PextTable::Entry& e = kPextTable.bishop[s];
        return e.attacks[_pext_u64(occ, e.mask)];
    }
};
