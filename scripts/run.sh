#!/usr/bin/env bash
# usage: scripts/run.sh [ARGS]
# Installs what is missing, builds, and runs `mansuba ARGS`. Without ARGS: a short live demonstration that holds two
# counts and an endgame against published ones; exit 1 if one differs.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

install_packages "${packages[@]}" || true
build release
program="$root/build/release/bin/mansuba"

if (($#)); then
  exec "$program" "$@"
fi

# Published counts: https://www.chessprogramming.org/Perft_Results (initial position; position 2, "Kiwipete", whose
# depth 4 is broken down there). Discovered checks leave double checks out.
start_depth_7="nodes=3195901860"
kiwipete="r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
kiwipete_depth_4="nodes=4085603 captures=757163 ep=1929 castles=128013 promotions=15172
                  checks=25523 discovered=42 double_checks=6 mates=43"

# compare JSON KEY=COUNT...: shows each count beside the published one; fails if one differs.
compare() {
  python3 - "$@" <<'PYTHON'
import json
import sys

result = json.loads(sys.argv[1])
counts = {"nodes": result["nodes"], **result.get("detail", {})}
equal = True
for key, published in (pair.split("=") for pair in sys.argv[2:]):
    same = int(counts[key]) == int(published)
    equal &= same
    print(f"  {key:<14}{counts[key]:>12}  {'as published' if same else f'DIFFERS: published {published}'}")
print(f"  {float(result['seconds']):.3f} s, {float(result['nps']) / 1e6:.0f} million nodes a second,"
      f" {result['threads']} threads, {result['simd']}")
sys.exit(not equal)
PYTHON
}

failures=0

# check TITLE "KEY=COUNT ..." ARGS...: runs `mansuba ARGS --json`, its progress on stderr, and compares.
check() {
  local title=$1 json
  local -a published
  read -r -d '' -a published <<<"$2" || true
  shift 2
  printf '\n== %s\n' "$title"
  if ! json=$("$program" "$@" --json) || ! compare "$json" "${published[@]}"; then
    failures=$((failures + 1))
  fi
}

printf '== This machine\n'
"$program" info || failures=$((failures + 1))
check "Start position, 7 plies: mansuba perft 7" "$start_depth_7" perft 7
check "Kiwipete, 4 plies: mansuba perft 4 --detail --fen \"$kiwipete\"" "$kiwipete_depth_4" \
  perft 4 --detail --fen "$kiwipete"

# The longest win of queen against rook: mate in 35 moves, as all endgame tables have it (the position is the one that
# syzygy1/tb prints for its distance of 62 plies to the first capture).
queen_against_rook="8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1"
tables=$(mktemp -d)
trap 'rm -rf "$tables"' EXIT
# step TITLE ARGS...: runs `mansuba ARGS`.
step() {
  printf '\n== %s\n' "$1"
  shift
  "$program" "$@" || failures=$((failures + 1))
}
step "Endgame tables of queen against rook, and of what they turn into: mansuba build KQvKR" \
  build KQvKR --out "$tables"
step "Its longest defence, played out: mansuba probe --line \"$queen_against_rook\"" \
  probe --tables "$tables" --line "$queen_against_rook"
if ! "$program" probe --tables "$tables" --json --line "$queen_against_rook" | python3 -c '
import json, sys
answer = json.load(sys.stdin)[0]
right = (answer["wdl"], answer["dtz"], answer["dtm"], len(answer["line"])) == (-2, -62, -70, 70)
print("  70 plies to mate, 62 to the first capture, a line of 70 plies:", "as published" if right else "DIFFERS")
sys.exit(not right)'; then
  failures=$((failures + 1))
fi
step "Every value against those of the positions after its moves: mansuba verify KQvKR" \
  verify KQvKR --tables "$tables" --progress never

if ((failures)); then
  printf '\nNot in order: %d of 7 steps failed.\n' "$failures"
  exit 1
fi
printf '\nAll counts and values are as published.\n'
