// Eight lanes of 64 bits for perft/siblings_impl.hpp, by AVX-512 (F, BW). Included inside a region
// that allows it, after immintrin.h; MANSUBA_HAS_ICE_LAKE says that it allows BITALG as well. No
// include guard. What the functions do: perft/lanes_avx2_impl.hpp.

inline constexpr int kLanes = 8;
using Lanes = std::uint64_t __attribute__((vector_size(8 * kLanes), may_alias));
using LaneBytes = std::uint8_t __attribute__((vector_size(8 * kLanes), may_alias));

MANSUBA_INLINE Lanes load_words(const std::uint32_t* words) {
    return (Lanes)_mm512_cvtepu32_epi64(_mm256_load_si256(reinterpret_cast<const __m256i*>(words)));
}
MANSUBA_INLINE Lanes squares(Lanes numbers) {
    return (Lanes)_mm512_sllv_epi64(_mm512_set1_epi64(1), (__m512i)numbers);
}
// The constants are the truth tables: bit 4a + 2b + c.
MANSUBA_INLINE Lanes or_and(Lanes a, Lanes b, Lanes c) {
    return (Lanes)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, 0xf8);
}
MANSUBA_INLINE Lanes sum_of(Lanes a, Lanes b, Lanes c) {
    return (Lanes)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, 0x96);
}
MANSUBA_INLINE Lanes carry_of(Lanes a, Lanes b, Lanes c) {
    return (Lanes)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, 0xe8);
}
MANSUBA_INLINE Lanes swap_bytes(Lanes a) {
    return (Lanes)_mm512_shuffle_epi8(
        (__m512i)a, _mm512_broadcast_i32x4(
                        _mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8)));
}
MANSUBA_INLINE LaneBytes count_in_bytes(Lanes a) {
#ifdef MANSUBA_HAS_ICE_LAKE
    return (LaneBytes)_mm512_popcnt_epi8((__m512i)a);
#else
    const __m512i counts =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m512i low = _mm512_set1_epi8(15);
    return (LaneBytes)_mm512_add_epi8(
        _mm512_shuffle_epi8(counts, _mm512_and_si512((__m512i)a, low)),
        _mm512_shuffle_epi8(counts, _mm512_and_si512(_mm512_srli_epi64((__m512i)a, 4), low)));
#endif
}
MANSUBA_INLINE Lanes sum_bytes(LaneBytes a) {
    return (Lanes)_mm512_sad_epu8((__m512i)a, _mm512_setzero_si512());
}
MANSUBA_INLINE Lanes zero_mask(Lanes a) {
    return (Lanes)_mm512_maskz_set1_epi64(_mm512_testn_epi64_mask((__m512i)a, (__m512i)a), -1);
}
MANSUBA_INLINE unsigned signs(Lanes a) {
    return _mm512_cmplt_epi64_mask((__m512i)a, _mm512_setzero_si512());
}
