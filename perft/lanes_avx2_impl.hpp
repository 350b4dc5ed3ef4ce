// Four lanes of 64 bits for perft/siblings_impl.hpp, by AVX2. Included inside a region that allows
// it, after immintrin.h. No include guard.

inline constexpr int kLanes = 4;
using Lanes = std::uint64_t __attribute__((vector_size(8 * kLanes), may_alias));
using LaneBytes = std::uint8_t __attribute__((vector_size(8 * kLanes), may_alias));

/// A word of 32 bits in each lane; `words` is aligned to four of them.
MANSUBA_INLINE Lanes load_words(const std::uint32_t* words) {
    return (Lanes)_mm256_cvtepu32_epi64(_mm_load_si128(reinterpret_cast<const __m128i*>(words)));
}
/// The set of one square in each lane, from its number.
MANSUBA_INLINE Lanes squares(Lanes numbers) {
    return (Lanes)_mm256_sllv_epi64(_mm256_set1_epi64x(1), (__m256i)numbers);
}
/// a | (b & c), the step of every fill.
MANSUBA_INLINE Lanes or_and(Lanes a, Lanes b, Lanes c) { return a | (b & c); }
/// The sum of three bits a place, and its carry.
MANSUBA_INLINE Lanes sum_of(Lanes a, Lanes b, Lanes c) { return a ^ b ^ c; }
MANSUBA_INLINE Lanes carry_of(Lanes a, Lanes b, Lanes c) { return (a & b) | ((a ^ b) & c); }
/// The ranks in reverse order.
MANSUBA_INLINE Lanes swap_bytes(Lanes a) {
    const __m256i order = _mm256_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8, 7,
                                           6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
    return (Lanes)_mm256_shuffle_epi8((__m256i)a, order);
}
/// The ones in each byte.
MANSUBA_INLINE LaneBytes count_in_bytes(Lanes a) {
    const __m256i counts = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1,
                                            2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low = _mm256_set1_epi8(15);
    return (LaneBytes)_mm256_add_epi8(
        _mm256_shuffle_epi8(counts, _mm256_and_si256((__m256i)a, low)),
        _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi64((__m256i)a, 4), low)));
}
/// The bytes of each lane added up.
MANSUBA_INLINE Lanes sum_bytes(LaneBytes a) {
    return (Lanes)_mm256_sad_epu8((__m256i)a, _mm256_setzero_si256());
}
/// All ones in the lanes that are zero, else zero.
MANSUBA_INLINE Lanes zero_mask(Lanes a) {
    return (Lanes)_mm256_cmpeq_epi64((__m256i)a, _mm256_setzero_si256());
}
/// One bit a lane: whether its highest bit is set.
MANSUBA_INLINE unsigned signs(Lanes a) {
    return static_cast<unsigned>(_mm256_movemask_pd((__m256d)a));
}
