# shellcheck shell=bash disable=SC2034
# What run.sh and test.sh share; sourced, not run. All talk goes to stderr: stdout belongs to the program.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# What the program, its tests and its benchmarks are built from.
packages=(g++ cmake make git python3 libcli11-dev libfmt-dev libspdlog-dev nlohmann-json3-dev
          libxxhash-dev libhdf5-dev libdeflate-dev zlib1g-dev libgtest-dev libbenchmark-dev libopenmpi-dev openmpi-bin)
# What some tests use beside that, and are left out without: another engine, a compiler with fuzzing, other readers of
# HDF5, and the tool by which other programs find our library.
test_packages=(stockfish fathom clang libclang-rt-14-dev libomp-14-dev python3-h5py hdf5-tools pkgconf)

CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
CTEST_PARALLEL_LEVEL=${CTEST_PARALLEL_LEVEL:-$(nproc)}
export CMAKE_BUILD_PARALLEL_LEVEL CTEST_PARALLEL_LEVEL
# Debian puts games where root's PATH does not look.
export PATH="$PATH:/usr/games"
# Open MPI refuses root, and more ranks than cores, unless told.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
# Few ranks are bound to a core each otherwise, and ranks that wait keep their cores busy.
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1

say() { printf '%s\n' "$*" >&2; }

# install_packages NAME...: installs those that are missing. Where that cannot be done it says so and returns 1: the
# parts may be there in another way than as Debian packages, and CMake names the one that is not.
install_packages() {
  local package missing=() as_root=()
  for package in "$@"; do
    # More than one architecture may have it.
    dpkg-query -W -f '${Status}\n' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing+=("$package")
  done
  ((${#missing[@]})) || return 0

  if ! command -v apt-get >/dev/null; then
    say "mansuba: there is no apt-get here; these Debian packages, or what corresponds to them, are needed: ${missing[*]}"
    return 1
  fi
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      say "mansuba: no rights to install; ask for: apt-get install ${missing[*]}"
      return 1
    fi
    as_root=(sudo)
  fi
  say "mansuba: installing ${missing[*]}"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)
  "${apt[@]}" update >/dev/null || say "mansuba: apt-get update failed; trying with the package lists at hand"
  if ! "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null; then
    say "mansuba: could not install ${missing[*]}"
    return 1
  fi
}

# build PRESET: configures and builds; silent if all goes well, the whole log if not.
build() {
  local directory="$root/build/$1" log="$root/build/$1/build.log"
  mkdir -p "$directory"
  say "mansuba: building in build/$1 (the first time takes some minutes)"
  if ! (cd "$root" && cmake --preset "$1" && cmake --build --preset "$1") >"$log" 2>&1; then
    cat "$log" >&2
    say "mansuba: the build failed; its log is build/$1/build.log"
    return 1
  fi
}
