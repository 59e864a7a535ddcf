# What ./heapledger and ./test share: find what is missing, install it, build with progress.
# shellcheck shell=sh disable=SC2154
#
# Sourced, with these set: root (this clone), program (how we call ourselves), failure (the exit
# status when we give up). build_tool also needs what ./heapledger defines. Everything is said on stderr; stdin is left to the caller; the network
# is used only when something is missing.

say() { printf '%s: %s\n' "$program" "$*" >&2; }

fail() {
  say "$@"
  exit "$failure"
}

# The end of a log that explains a failure.
fail_with_log() {
  log=$1
  shift
  say "$*; the end of the log:"
  tail -n 40 "$log" >&2
  fail "the whole log is in $log"
}

open_build_folder() { mkdir -p "$root/build" 2>/dev/null && (: >>"$root/build/.lock") 2>/dev/null; }

# One at a time: two first calls must not install and build on top of one another.
take_lock() {
  command -v flock >/dev/null 2>&1 || return 0
  exec 9>>"$root/build/.lock"
  flock -n 9 && return 0
  say "another call is building; waiting for it"
  flock 9
}

drop_lock() { exec 9>&-; }

# --- packages -----------------------------------------------------------------------------------

# The lines of the table for these groups, without comments.
table() {
  for chosen in "$@"; do
    while read -r group package probe purpose; do
      [ "$group" = "$chosen" ] && printf '%s %s %s\n' "$package" "$probe" "$purpose"
    done <"$root/scripts/packages.txt"
  done
}

clang_version() { clang -dumpversion 2>/dev/null | cut -d. -f1; }

fuzzer_links() {
  echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
    clang++ -x c++ -fsanitize=fuzzer,address -o /dev/null - 2>/dev/null
}

# The packages of these groups whose probe fails. All headers are looked for in one compiler run;
# without a compiler all count as missing.
missing() {
  asked=''
  headers=''
  while read -r package probe purpose; do
    case $probe in
      command:*) command -v "${probe#command:}" >/dev/null 2>&1 || echo "$package" ;;
      header:*)
        headers="$headers $package"
        asked="$asked
#if !__has_include(<${probe#header:}>)
missing \"$package\"
#endif"
        ;;
      library:*)
        case "$(PATH="$PATH:/sbin:/usr/sbin" ldconfig -p 2>/dev/null)" in
          *"${probe#library:} "*) ;;
          *) echo "$package" ;;
        esac
        ;;
      # Cannot be told before clang itself is there.
      fuzzer) [ -z "$(clang_version)" ] || fuzzer_links || echo "$package" ;;
    esac
  done <<EOF
$(table "$@")
EOF
  [ -n "$headers" ] || return 0
  if answer=$(echo "$asked" | ${CXX:-c++} -std=c++20 -x c++ -E -P - 2>/dev/null); then
    echo "$answer" | sed -n 's/^ *missing *"\(.*\)".*/\1/p'
  else
    # shellcheck disable=SC2086 # one line per package
    printf '%s\n' $headers
  fi
}

install_missing() {
  before=''
  while :; do
    wanted=$(missing "$@" | sed "s/@clang@/$(clang_version)/" | tr '\n' ' ')
    wanted=${wanted% }
    [ -n "$wanted" ] || break
    [ "$wanted" != "$before" ] ||
      fail "installed, and yet not found: $wanted. Is another compiler chosen by CXX?"
    before=$wanted
    install_packages "$wanted" "$@"
  done
  check_cmake
}

# How packages can be installed: sets `become`, what to put before a command. Otherwise `why` says
# why not, and `help` what to do about it.
may_install() {
  become=''
  [ "$(id -u)" = 0 ] && return 0
  if ! command -v sudo >/dev/null 2>&1; then
    why='only root can install them'
    help='Please run, as root: '
  elif sudo -n true 2>/dev/null; then
    become='sudo -n'
  elif [ -t 2 ]; then
    become=sudo
  else
    why='sudo needs a password'
    help='Please run:  sudo'
  fi
  [ -n "$become" ]
}

install_packages() {
  wanted=$1
  shift
  command="apt-get install --no-install-recommends $wanted"
  if ! command -v apt-get >/dev/null 2>&1; then
    say "this is missing, and there is no apt-get here to install it with:"
    table "$@" | while read -r package probe purpose; do
      case " $wanted " in
        *" $(echo "$package" | sed "s/@clang@/$(clang_version)/") "*) echo "  $purpose" >&2 ;;
      esac
    done
    fail "please install it in the way of your system, then try again"
  fi
  may_install || fail "packages are missing and $why. $help $command"
  say "installing with ${become:+sudo }apt-get: $wanted"
  log=$root/build/packages.log
  : >"$log"
  # A fresh container has no package lists; old lists may name versions that are gone.
  set -- /var/lib/apt/lists/*_Packages*
  if [ -e "$1" ] || apt_get update; then
    # shellcheck disable=SC2086 # one word per package
    add_packages $wanted && return 0
    # shellcheck disable=SC2086
    apt_get update && add_packages $wanted && return 0
  fi
  removed=$(would_remove)
  [ -z "$removed" ] || fail_with_log "$log" \
    "the packages cannot be installed beside $removed, and we remove nothing. If they may go:  $command"
  fail_with_log "$log" "the packages could not be installed"
}

# Never at the price of a package that is there.
add_packages() { apt_get install -y --no-remove --no-install-recommends "$@"; }

# What apt-get would have removed, by the log; empty: nothing.
would_remove() {
  sed -n '/^The following packages will be REMOVED:/,/^[^ ]/ { /^  / p }' "$log" |
    tr -s ' *' '\n' | sort -u | tr '\n' ' ' | sed 's/^ //; s/ $//'
}

apt_get() {
  $become env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -q -o DPkg::Lock::Timeout=600 "$@" \
    </dev/null >>"$log" 2>&1
}

check_cmake() {
  version=$(cmake --version | sed -n 's/^cmake version //p')
  major=${version%%.*}
  minor=${version#*.}
  minor=${minor%%.*}
  [ "$major" -gt 3 ] || [ "$minor" -ge 25 ] ||
    fail "cmake is $version and 3.25 is needed. A newer one: https://cmake.org/download"
}

# --- building -----------------------------------------------------------------------------------

# How long a step of the build takes, by its command or by what is said of it, roughly, in the time of a
# file of the runtime: a batch of files takes far longer, and so does the one file of the player that is
# compiled sixteen ways. Sets `weight`.
weigh() {
  case $1 in
    ':'* | *Linking*) weight=1 ;; # has the names of all it links in it
    *_runtime_common.dir/Unity/* | *_player.dir/Unity/* | *_elf.dir/Unity/*) weight=6 ;;
    *_analyzer*.dir/Unity/*) weight=65 ;;
    *_cli.dir/Unity/*) weight=50 ;;
    *_cores.dir/Unity/* | *_importers.dir/Unity/* | *_exporters_unhurried.dir/Unity/*) weight=35 ;;
    *Unity/* | *player*/lane.cpp*) weight=20 ;;
    *cmake_pch.hxx.gch*) weight=10 ;;
    *) weight=1 ;;
  esac
}

# What all steps of a first build weigh: sets `whole`. 0: it is not the first, and nobody knows
# beforehand what of it has to be done again.
weigh_all() {
  whole=0
  [ ! -e "build/$1/.ninja_log" ] || return 0
  while IFS= read -r line; do
    [ -n "$line" ] || continue
    weigh "$line"
    whole=$((whole + weight))
  done <<EOF
$(ninja -C "build/$1" -t commands "${2:-all}" 2>/dev/null)
EOF
}

# The time that a build still takes, by how fast it has been so far, rounded up: sets `left`, empty
# while that says little.
find_time_left() {
  passed=$(($(date +%s) - begun))
  left=''
  [ "$done_weight" -lt "$whole" ] || return 0
  [ $((done_weight * 20)) -ge "$whole" ] || return 0
  [ "$passed" -ge 2 ] || return 0
  seconds=$((passed * (whole - done_weight) / done_weight))
  if [ "$seconds" -lt 95 ]; then
    left=", about $(((seconds + 9) / 10 * 10)) s left"
  else
    left=", about $(((seconds + 59) / 60)) min left"
  fi
}

# Reads the output of the build and shows how far it is, and how long it will still take: one line
# that counts up on a terminal, a line at every quarter elsewhere.
show_progress() {
  quarter=0
  done_weight=0
  whole=0
  begun=$(date +%s)
  while IFS= read -r line; do
    case $line in
      'weight '*)
        whole=${line#weight }
        begun=$(date +%s)
        continue
        ;;
      '['[0-9]*/*']'*) ;;
      *) continue ;;
    esac
    weigh "$line"
    done_weight=$((done_weight + weight))
    finished=${line#?}
    total=${finished#*/}
    finished=${finished%%/*}
    total=${total%%]*}
    find_time_left
    [ "$finished" -lt "$total" ] || left=''
    # A quarter of the time, where that is known, and not of the steps.
    now=$((finished * 4 / total))
    if [ "$whole" -gt 0 ] && [ "$finished" -lt "$total" ]; then
      now=$((done_weight * 4 / whole))
      [ "$now" -lt 4 ] || now=3 # the last is told when it is done
    fi
    if [ -t 2 ]; then
      printf '\r%s: building %s: %s of %s steps%s \033[K' "$program" "$1" "$finished" "$total" "$left" >&2
    elif [ "$now" -gt "$quarter" ]; then
      quarter=$now
      say "building $1: $finished of $total steps$left"
    fi
  done
  if [ -t 2 ]; then printf '\r\033[K' >&2; fi
}

configure() {
  if [ ! -f "build/$1/CMakeCache.txt" ]; then
    cmake --preset "$1"
  else
    # The cache may be of another place or another compiler: then once more without it.
    cmake --preset "$1" || cmake --fresh --preset "$1"
  fi
}

# A preset, and the one target of it that is wanted, if not all. Runs with stdin closed, so that it
# cannot take what is meant for the recorded program.
configure_and_build() {
  export NINJA_STATUS='[%f/%t] '
  cd -P -- "$root" && configure "$1" || return
  weigh_all "$1" "$2"
  echo "weight $whole"
  cmake --build --preset "$1" ${2:+--target "$2"}
}

# The preset, what to call it, and a target of it.
build_preset() {
  log=$root/build/$1.log
  status=$root/build/.$1.status
  {
    (configure_and_build "$1" "$3") </dev/null 2>&1
    echo $? >"$status"
  } | tee "$log" | show_progress "$2"
  [ "$(cat "$status")" = 0 ] || fail_with_log "$log" "building $2 failed"
}

# For ./heapledger: leaves a current tool behind, or ends with a message.
build_tool() {
  if ! open_build_folder; then
    [ -x "$hl_tool" ] || fail "cannot write to $root/build, where the tool would be built"
    say "the sources are newer than the tool, but $root/build cannot be written: using it as it is"
    return 0
  fi
  take_lock
  if ! hl_is_current; then
    [ -x "$hl_tool" ] || say "first use: building the tool; how long that takes is told as soon as it can be seen"
    install_missing build
    # The time of the stamp is that before the build: what changes meanwhile is newer.
    rm -f "$hl_stamp"
    : >"$root/build/.begun"
    build_preset release "the tool"
    mv "$root/build/.begun" "$hl_stamp"
  fi
}
