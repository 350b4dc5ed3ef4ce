// The hash functions follow CityHash 1.0, of which only what such files need is here:
//
// Copyright (c) 2011 Google, Inc.
//
// Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
// associated documentation files (the "Software"), to deal in the Software without restriction,
// including without limitation the rights to use, copy, modify, merge, publish, distribute,
// sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
// furnished to do so, subject to the following conditions:
//
// The above copyright notice and this permission notice shall be included in all copies or
// substantial portions of the Software.
//
// THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
// NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
// NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
// DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT
// OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
//
// CityHash, by Geoff Pike and Jyrki Alakuijala
#include "tablebase/syzygy/checksum.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace mansuba::tablebase::syzygy {
namespace {

using U64 = std::uint64_t;

constexpr std::size_t kPieceBytes = std::size_t{1} << 24;
constexpr U64 k0 = 0xc3a5c85c97cb3127, k1 = 0xb492b66fbe98f273, k3 = 0xc949d7c7509e6557;

struct Pair {
    U64 first, second;
};

/// CRC-32C eight bytes at a time: [k][b] is the CRC of byte b with k zero bytes behind.
constexpr auto kCrcTables = [] {
    std::array<std::array<std::uint32_t, 256>, 8> t{};
    for (std::uint32_t b = 0; b < 256; ++b) {
        std::uint32_t crc = b;
        for (int i = 0; i < 8; ++i) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0u);
        t[0][b] = crc;
    }
    for (std::size_t k = 1; k < 8; ++k)
        for (std::size_t b = 0; b < 256; ++b) t[k][b] = t[k - 1][b] >> 8 ^ t[0][t[k - 1][b] & 255];
    return t;
}();

U64 crc32c(U64 crc, U64 word) {
    word ^= crc & 0xffff'ffff;
    U64 result = 0;
    for (std::size_t k = 0; k < 8; ++k) result ^= kCrcTables[7 - k][word >> 8 * k & 255];
    return result;
}

U64 shift_mix(U64 x) { return x ^ x >> 47; }

U64 hash_pair(U64 u, U64 v) {
    constexpr U64 kMultiplier = 0x9ddfea08eb382d69;
    const U64 a = shift_mix((u ^ v) * kMultiplier);
    return shift_mix((v ^ a) * kMultiplier) * kMultiplier;
}

Pair weak_hash(const std::uint8_t* s, U64 a, U64 b) {
    const U64 w = little64(s), x = little64(s + 8), y = little64(s + 16), z = little64(s + 24);
    a += w;
    const U64 sum = a + x + y;
    return {sum + z, std::rotr(b + a + z, 21) + std::rotr(sum, 44) + a};
}

/// CityHashCrc256 of 240 bytes and more, or of what was filled up to them (then with a seed).
std::array<U64, 4> crc256_long(Bytes bytes, std::uint32_t seed) {
    const std::uint8_t* s = bytes.data();
    std::size_t left = bytes.size();
    std::array<U64, 4> result{};
    U64 a = little64(s + 56) + k0;
    U64 b = little64(s + 96) + k0;
    U64 c = result[0] = hash_pair(b, left);
    U64 d = result[1] = little64(s + 120) * k0 + left;
    U64 e = little64(s + 184) + seed;
    U64 f = seed, g = 0, h = 0, i = 0, j = 0, t = c + d;
    const auto mix = [&](U64 multiplier, int twist) {
        const U64 old_a = a;
        a = std::rotr(b, 41 ^ twist) * multiplier + little64(s);
        b = std::rotr(c, 27 ^ twist) * multiplier + little64(s + 8);
        c = std::rotr(d, 41 ^ twist) * multiplier + little64(s + 16);
        d = std::rotr(e, 33 ^ twist) * multiplier + little64(s + 24);
        e = std::rotr(t, 25 ^ twist) * multiplier + little64(s + 32);
        t = old_a;
        f = crc32c(f, a);
        g = crc32c(g, b);
        h = crc32c(h, c);
        i = crc32c(i, d);
        j = crc32c(j, e);
        s += 40;
    };
    for (; left >= 240; left -= 240)
        for (int k = 0; k < 3; ++k) {
            mix(1, 1);
            mix(k0, 0);
        }
    for (; left >= 40; left -= 40) mix(k0, 0);
    if (left > 0) {
        s -= 40 - left;
        mix(k0, 0);
    }
    j += i << 32;
    a = hash_pair(a, j);
    h += g << 32;
    b += h;
    c = hash_pair(c, f) + i;
    d = hash_pair(d, e + result[0]);
    j += e;
    i += hash_pair(h, t);
    e = hash_pair(a, d) + j;
    f = hash_pair(b, c) + a;
    g = hash_pair(j, i) + c;
    result[0] = e + f + g + h;
    a = shift_mix((a + g) * k0) * k0 + b;
    result[1] += a + result[0];
    a = shift_mix(a * k0) * k0 + c;
    result[2] = a + result[1];
    a = shift_mix((a + e) * k0) * k0;
    result[3] = a + result[2];
    return result;
}

std::array<U64, 4> crc256(Bytes bytes) {
    if (bytes.size() >= 240) return crc256_long(bytes, 0);
    std::array<std::uint8_t, 240> filled{};
    std::copy(bytes.begin(), bytes.end(), filled.begin());
    return crc256_long(filled, ~static_cast<std::uint32_t>(bytes.size()));
}

/// CityHash128WithSeed of less than 128 bytes, a multiple of 16 and not 0.
Pair hash128_short(Bytes bytes, Pair seed) {
    U64 a = seed.first, b = seed.second, c, d;
    const std::uint8_t* s = bytes.data();
    const std::size_t size = bytes.size();
    if (size == 16) {
        const U64 last = little64(s + 8);
        a = shift_mix(a * k1) * k1;
        c = b * k1 + (hash_pair(little64(s), std::rotr(last + size, 16)) ^ last);
        d = shift_mix(a + little64(s));
    } else {
        c = hash_pair(little64(s + size - 8) + k1, a);
        d = hash_pair(b + size, c + little64(s + size - 16));
        a += d;
        for (std::size_t done = 16; done < size; done += 16, s += 16) {
            a = (a ^ shift_mix(little64(s) * k1) * k1) * k1;
            b ^= a;
            c = (c ^ shift_mix(little64(s + 8) * k1) * k1) * k1;
            d ^= c;
        }
    }
    a = hash_pair(a, c);
    b = hash_pair(d, b);
    return {a ^ b, hash_pair(b, a)};
}

/// CityHash128WithSeed of 128 bytes and more.
Pair hash128_long(Bytes bytes, Pair seed) {
    const std::uint8_t* s = bytes.data();
    std::size_t left = bytes.size();
    U64 x = seed.first, y = seed.second, z = left * k1;
    Pair v, w;
    v.first = std::rotr(y ^ k1, 49) * k1 + little64(s);
    v.second = std::rotr(v.first, 42) * k1 + little64(s + 8);
    w.first = std::rotr(y + z, 35) * k1 + x;
    w.second = std::rotr(x + little64(s + 88), 53) * k1;
    for (; left >= 128; left -= 128)
        for (int k = 0; k < 2; ++k) {
            x = std::rotr(x + y + v.first + little64(s + 8), 37) * k1;
            y = std::rotr(y + v.second + little64(s + 48), 42) * k1;
            x ^= w.second;
            y += v.first + little64(s + 40);
            z = std::rotr(z + w.first, 33) * k1;
            v = weak_hash(s, v.second * k1, x + w.first);
            w = weak_hash(s + 32, z + w.second, y + little64(s + 16));
            std::swap(x, z);
            s += 64;
        }
    x += std::rotr(v.first + z, 49) * k0;
    z += std::rotr(w.first, 37) * k0;
    for (std::size_t done = 0;
         done < left;) {  // from the end on; the last may overlap what is done
        done += 32;
        const std::uint8_t* const tail = s + left - done;
        y = std::rotr(x + y, 42) * k0 + v.second;
        w.first += little64(tail + 16);
        x = x * k0 + w.first;
        z += w.second + little64(tail);
        w.second += v.first;
        v = weak_hash(tail, v.first + z, v.second);
    }
    x = hash_pair(x, v.first);
    y = hash_pair(y + z, w.first);
    return {hash_pair(x + v.second, w.second) + y, hash_pair(x + w.second, y + v.second)};
}

/// CityHashCrc128 of a multiple of 32 bytes, not 0.
Pair crc128(Bytes bytes) {
    if (bytes.size() > 900) {
        const auto crc = crc256(bytes);
        return {crc[2], crc[3]};
    }
    const Pair seed{little64(bytes.data()) ^ k3, little64(bytes.data() + 8)};
    const Bytes rest = bytes.subspan(16);
    return rest.size() < 128 ? hash128_short(rest, seed) : hash128_long(rest, seed);
}

void append(std::vector<std::uint8_t>& out, U64 n) {
    for (int k = 0; k < 64; k += 8) out.push_back(static_cast<std::uint8_t>(n >> k));
}

}  // namespace

Checksum checksum(Bytes content) {
    std::vector<std::uint8_t> sums;
    for (std::size_t at = 0; at < content.size(); at += kPieceBytes)
        for (const U64 n : crc256(content.subspan(at, std::min(kPieceBytes, content.size() - at))))
            append(sums, n);
    const Pair total = crc128(sums);
    Checksum result{};
    for (std::size_t k = 0; k < 8; ++k) {
        result[k] = static_cast<std::uint8_t>(total.first >> 8 * k);
        result[k + 8] = static_cast<std::uint8_t>(total.second >> 8 * k);
    }
    return result;
}

}  // namespace mansuba::tablebase::syzygy
