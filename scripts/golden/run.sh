#!/bin/sh
# Regenerates the answer keys of test/golden from pinned public packages, then their checksums.
#   scripts/golden/run.sh            writes test/golden
#   scripts/golden/run.sh --check    writes nothing there and compares bytes; exit 1 if any differ
# About five minutes. Everything runs in a scratch copy, so a failure leaves no half-written keys. The packages
# go to .venv of the checkout, or to the folder named by GOLDEN_VENV.
set -eu
check=''
for argument in "$@"; do
  case $argument in
    --check) check=yes ;;
    *) echo "run.sh: unknown option [$argument]" >&2 && exit 2 ;;
  esac
done
cd "$(dirname "$0")/../.."
venv=${GOLDEN_VENV:-.venv}
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
python=$(cd "$venv/bin" && pwd)/python
"$python" -m pip install --quiet --disable-pip-version-check -r scripts/golden/requirements.txt
export JAX_PLATFORMS=cpu PYTHONDONTWRITEBYTECODE=1

checkout=$PWD
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/scripts" "$scratch/test" "$scratch/benchmarks"
cp -R scripts/golden "$scratch/scripts/golden"
cp -R benchmarks/peers "$scratch/benchmarks/peers"
cp -R test/golden "$scratch/test/golden"
cd "$scratch"
sleep 1 && touch start
for script in scripts/golden/*.py; do
  [ "$script" = scripts/golden/checksums.py ] && continue
  echo "== $script"
  "$python" "$script"
done
echo '== keys that nothing above wrote (test/golden/README.md says why)'
find test/golden -type f ! -newer start ! -name '*.md' ! -name CHECKSUMS | sort
"$python" scripts/golden/checksums.py
if [ -n "$check" ]; then
  diff -rq "$checkout/test/golden" test/golden
  echo '== every key is as stored'
else
  cp -R test/golden/. "$checkout/test/golden"
fi
