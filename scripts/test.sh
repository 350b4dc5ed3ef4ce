#!/usr/bin/env bash
# usage: scripts/test.sh [CTEST ARGS]
# Installs what is missing, builds, and runs the default tests; those labelled long: ctest --preset long.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

install_packages "${packages[@]}" || true
install_packages "${test_packages[@]}" || say "mansuba: the tests that need these are left out"
build release
cd "$root"
exec ctest --preset release "$@"
