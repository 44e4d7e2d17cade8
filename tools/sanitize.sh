#!/usr/bin/env bash
# Run the kernel and learner tests on kernels built with compiler sanitizers.
#
#   tools/sanitize.sh address   # address + undefined behavior: all kernel and learner tests of kernels
#   tools/sanitize.sh thread    # data races: the tests that use several threads
#   tools/sanitize.sh           # both
#
# Words after the name of the sanitizer go to pytest instead of the usual tests:
#   tools/sanitize.sh address tests/learn/svm/test_svm.py -k linear
#
# The build and a virtual environment of its own are in build/sanitize/NAME, so that the usual environment is untouched;
# only its installed packages are used (VENV, by default .venv). A finding ends the test run with a nonzero status.
set -euo pipefail
cd "$(dirname "$0")/.."

VENV=${VENV:-.venv}
CXX=${CXX:-g++}
JOBS=${JOBS:-2}
PYTHON=$PWD/$VENV/bin/python
PATH=$PWD/$VENV/bin:$PATH  # cmake and ninja

# The families that have kernels. Tests of what only Python does find nothing here and take long.
ADDRESS_TESTS=(
  tests/kernels
  tests/learn/{associations,bags,bayes,clusters,ensembles,linear,neighbors,rules,svm,text,trees}
)
THREAD_TESTS=(tests/kernels tests/learn -k thread)

build() {  # build NAME SANITIZERS: compile into build/sanitize/NAME and lay the package beside it
  local folder=build/sanitize/$1
  "$PYTHON" -m venv --without-pip "$folder/venv"
  cmake -S . -B "$folder/cmake" -G Ninja -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_BUILD_TYPE=Sanitize \
    -DPython_EXECUTABLE="$PYTHON" -DHEDGEROW_SANITIZE="$2" >"$folder/cmake.log"
  nice -n 10 cmake --build "$folder/cmake" -j "$JOBS"
  rm -rf "$folder/package"
  mkdir -p "$folder/package"
  cp -r src/hedgerow "$folder/package/"
  cmake --install "$folder/cmake" --prefix "$folder/package" >/dev/null
  # A .pth file lends the installed packages without their own .pth files, among them the editable install of hedgerow.
  "$folder/venv/bin/python" - "$PWD/$folder/package" "$("$PYTHON" -c 'import site; print(site.getsitepackages()[0])')" <<'PYTHON'
import site, sys
from pathlib import Path
Path(site.getsitepackages()[0], "sanitize.pth").write_text("\n".join(sys.argv[1:]) + "\n")
PYTHON
}

library() {  # library NAME: the path of a runtime library of the compiler
  local path
  path=$("$CXX" -print-file-name="$1")
  [[ $path == /* ]] || { echo "$CXX has no $1; install the sanitizer libraries or set CXX" >&2; exit 1; }
  echo "$path"
}

run() {  # run NAME LIBRARY PYTEST-WORDS...: pass the tests with the sanitizer's library loaded before all others
  local folder=build/sanitize/$1 preload
  # libstdc++ must be there before its functions are intercepted.
  preload="$(library "$2") $(library libstdc++.so)"
  shift 2
  # The background thread of polars' allocator starts before the thread sanitizer knows of it, and crashes.
  # Fixed addresses: the shadow memory of the thread sanitizer does not fit every random layout.
  env HEDGEROW_SANITIZED=1 LD_PRELOAD="$preload" PYTHONMALLOC=malloc OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 \
    ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=1:strict_string_checks=1 \
    UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
    TSAN_OPTIONS="halt_on_error=0:exitcode=66:second_deadlock_stack=1:suppressions=$PWD/tools/thread_sanitizer_ignores.txt" \
    _RJEM_MALLOC_CONF=background_thread:false \
    nice -n 10 setarch -R "$folder/venv/bin/python" -m pytest -p no:xdist "$@"
}

check_address() {
  build address address,undefined
  run address libasan.so "${@:-${ADDRESS_TESTS[@]}}"
}

check_thread() {
  build thread thread
  run thread libtsan.so "${@:-${THREAD_TESTS[@]}}"
}

case ${1:-both} in
  address) check_address "${@:2}" ;;
  thread) check_thread "${@:2}" ;;
  both) check_address && check_thread ;;
  *) echo "there is no sanitizer '$1'; take address or thread" >&2; exit 2 ;;
esac
