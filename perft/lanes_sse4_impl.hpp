// Two lanes of 64 bits for perft/siblings_impl.hpp, by SSE4. Included inside a region that allows
// it, after immintrin.h. No include guard. What the functions do: perft/lanes_avx2_impl.hpp.

inline constexpr int kLanes = 2;
using Lanes = std::uint64_t __attribute__((vector_size(8 * kLanes), may_alias));
using LaneBytes = std::uint8_t __attribute__((vector_size(8 * kLanes), may_alias));

MANSUBA_INLINE Lanes load_words(const std::uint32_t* words) {
    return (Lanes)_mm_cvtepu32_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(words)));
}
MANSUBA_INLINE Lanes squares(Lanes numbers) {
    return Lanes{std::uint64_t{1} << numbers[0], std::uint64_t{1} << numbers[1]};
}
MANSUBA_INLINE Lanes or_and(Lanes a, Lanes b, Lanes c) { return a | (b & c); }
MANSUBA_INLINE Lanes sum_of(Lanes a, Lanes b, Lanes c) { return a ^ b ^ c; }
MANSUBA_INLINE Lanes carry_of(Lanes a, Lanes b, Lanes c) { return (a & b) | ((a ^ b) & c); }
MANSUBA_INLINE Lanes swap_bytes(Lanes a) {
    return (Lanes)_mm_shuffle_epi8(
        (__m128i)a, _mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8));
}
MANSUBA_INLINE LaneBytes count_in_bytes(Lanes a) {
    const __m128i counts = _mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m128i low = _mm_set1_epi8(15);
    return (LaneBytes)_mm_add_epi8(
        _mm_shuffle_epi8(counts, _mm_and_si128((__m128i)a, low)),
        _mm_shuffle_epi8(counts, _mm_and_si128(_mm_srli_epi64((__m128i)a, 4), low)));
}
MANSUBA_INLINE Lanes sum_bytes(LaneBytes a) {
    return (Lanes)_mm_sad_epu8((__m128i)a, _mm_setzero_si128());
}
MANSUBA_INLINE Lanes zero_mask(Lanes a) { return (Lanes)_mm_cmpeq_epi64((__m128i)a, __m128i{}); }
MANSUBA_INLINE unsigned signs(Lanes a) {
    return static_cast<unsigned>(_mm_movemask_pd((__m128d)a));
}
