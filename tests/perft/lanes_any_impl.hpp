// Lanes for perft/siblings_impl.hpp in any number and without an instruction of any processor: one
// after the other. With eight they stand for AVX-512 where there is none. What the functions do:
// perft/lanes_avx2_impl.hpp. No include guard.

inline constexpr int kLanes = MANSUBA_LANES;
using Lanes = std::uint64_t __attribute__((vector_size(8 * kLanes), may_alias));
using LaneBytes = std::uint8_t __attribute__((vector_size(8 * kLanes), may_alias));

template <class Function>
MANSUBA_INLINE Lanes each_lane(Function f) {
    Lanes r{};
    for (int i = 0; i < kLanes; ++i) r[i] = f(i);
    return r;
}
MANSUBA_INLINE Lanes load_words(const std::uint32_t* words) {
    return each_lane([&](int i) { return words[i]; });
}
MANSUBA_INLINE Lanes squares(Lanes numbers) {
    return each_lane([&](int i) { return std::uint64_t{1} << numbers[i]; });
}
MANSUBA_INLINE Lanes or_and(Lanes a, Lanes b, Lanes c) { return a | (b & c); }
MANSUBA_INLINE Lanes sum_of(Lanes a, Lanes b, Lanes c) { return a ^ b ^ c; }
MANSUBA_INLINE Lanes carry_of(Lanes a, Lanes b, Lanes c) { return (a & b) | ((a ^ b) & c); }
MANSUBA_INLINE Lanes swap_bytes(Lanes a) {
    return each_lane([&](int i) { return __builtin_bswap64(a[i]); });
}
MANSUBA_INLINE LaneBytes count_in_bytes(Lanes a) {
    LaneBytes r = (LaneBytes)a;
    for (int i = 0; i < 8 * kLanes; ++i) r[i] = static_cast<std::uint8_t>(__builtin_popcount(r[i]));
    return r;
}
MANSUBA_INLINE Lanes sum_bytes(LaneBytes a) {
    return each_lane([&](int i) {
        std::uint64_t sum = 0;
        for (int k = 0; k < 8; ++k) sum += a[8 * i + k];
        return sum;
    });
}
MANSUBA_INLINE Lanes zero_mask(Lanes a) {
    return each_lane([&](int i) { return a[i] == 0 ? ~std::uint64_t{0} : 0; });
}
MANSUBA_INLINE unsigned signs(Lanes a) {
    unsigned bits = 0;
    for (int i = 0; i < kLanes; ++i) bits |= static_cast<unsigned>(a[i] >> 63) << i;
    return bits;
}
