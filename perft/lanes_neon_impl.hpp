// Two lanes of 64 bits for perft/siblings_impl.hpp, by NEON, which every arm64 processor has.
// Included after arm_neon.h. No include guard. What the functions do: perft/lanes_avx2_impl.hpp.

inline constexpr int kLanes = 2;
using Lanes = std::uint64_t __attribute__((vector_size(8 * kLanes), may_alias));
using LaneBytes = std::uint8_t __attribute__((vector_size(8 * kLanes), may_alias));

MANSUBA_INLINE Lanes load_words(const std::uint32_t* words) {
    return (Lanes)vmovl_u32(vld1_u32(words));
}
MANSUBA_INLINE Lanes squares(Lanes numbers) {
    return (Lanes)vshlq_u64(vdupq_n_u64(1), (int64x2_t)numbers);
}
MANSUBA_INLINE Lanes or_and(Lanes a, Lanes b, Lanes c) { return a | (b & c); }
MANSUBA_INLINE Lanes sum_of(Lanes a, Lanes b, Lanes c) { return a ^ b ^ c; }
MANSUBA_INLINE Lanes carry_of(Lanes a, Lanes b, Lanes c) {
    return (Lanes)vbslq_u64((uint64x2_t)(a ^ b), (uint64x2_t)c, (uint64x2_t)a);
}
MANSUBA_INLINE Lanes swap_bytes(Lanes a) { return (Lanes)vrev64q_u8((uint8x16_t)a); }
MANSUBA_INLINE LaneBytes count_in_bytes(Lanes a) { return (LaneBytes)vcntq_u8((uint8x16_t)a); }
MANSUBA_INLINE Lanes sum_bytes(LaneBytes a) {
    return (Lanes)vpaddlq_u32(vpaddlq_u16(vpaddlq_u8((uint8x16_t)a)));
}
MANSUBA_INLINE Lanes zero_mask(Lanes a) { return (Lanes)vceqzq_u64((uint64x2_t)a); }
MANSUBA_INLINE unsigned signs(Lanes a) {
    return static_cast<unsigned>(a[0] >> 63 | (a[1] >> 63) << 1);
}
