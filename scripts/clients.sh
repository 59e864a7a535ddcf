# The packages that only some tests need (group client): those that can be had are installed, the
# tests of the others leave themselves out, and that is said at the end of a run.
# shellcheck shell=sh disable=SC2154
#
# Sourced by ./test after setup.sh. With HEAPLEDGER_REQUIRE_CLIENTS set, as in continuous
# integration, a package that cannot be had is a failure.

# What was left out: a line for each package, its name and why.
left_out=$root/build/left_out.txt

install_clients() {
  wanted=$(missing client | tr '\n' ' ')
  wanted=${wanted% }
  if [ -n "$wanted" ] && [ -z "$HEAPLEDGER_REQUIRE_CLIENTS" ] && were_refused; then return 0; fi
  : >"$left_out"
  [ -n "$wanted" ] || return 0
  reason=''
  if ! command -v apt-get >/dev/null 2>&1; then
    reason='there is no apt-get here'
  elif ! may_install; then
    reason=$why
  else
    install_what_can_be
  fi
  for package in $(missing client); do
    echo "$package ${reason:-$(reason_for "$package")}" >>"$left_out"
  done
  [ -s "$left_out" ] && [ -n "$HEAPLEDGER_REQUIRE_CLIENTS" ] || return 0
  say_left_out
  fail "HEAPLEDGER_REQUIRE_CLIENTS is set, and these packages are missing"
}

# Whether the last run has tried just these, and for each another package would have had to go: that
# takes its time, and will be the same today.
were_refused() {
  [ -s "$left_out" ] &&
    [ "$wanted" = "$(sed -n 's/ apt-get would remove .*//p' "$left_out" | tr '\n' ' ' | sed 's/ $//')" ]
}

# All together, or else one by one.
install_what_can_be() {
  say "installing with ${become:+sudo }apt-get: $wanted"
  log=$root/build/packages.log
  : >"$log"
  # shellcheck disable=SC2086 # one word per package
  add_packages $wanted && return 0
  if ! apt_get update; then
    reason='apt-get cannot reach its servers'
    return 0
  fi
  # shellcheck disable=SC2086
  add_packages $wanted && return 0
  say "not all of them can be had; one by one"
  for package in $wanted; do
    log=$root/build/package.$package.log
    : >"$log"
    if add_packages "$package"; then rm -f "$log"; fi
  done
}

reason_for() {
  log=$root/build/package.$1.log
  if [ ! -e "$log" ]; then
    echo "it was installed, and yet is not found"
    return
  fi
  removed=$(would_remove)
  if [ -n "$removed" ]; then
    echo "apt-get would remove $removed for it"
  else
    error=$(sed -n 's/^E: //p' "$log" | tail -n 1)
    echo "${error:-apt-get failed}"
  fi
}

say_left_out() {
  [ -s "$left_out" ] || return 0
  say "these packages are missing, and the tests that need them were left out:"
  names=''
  while read -r package reason; do
    names="$names $package"
    purpose=$(table client | sed -n "s/^$package [^ ]* //p")
    echo "  $package ($purpose): $reason" >&2
  done <"$left_out"
  say "to get them anyway:  apt-get install --no-install-recommends$names"
}
