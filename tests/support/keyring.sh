#!/usr/bin/env bash
# Unlocks a throw-away keyring on a session bus of its own, and runs a command beside it:
#   dbus-run-session -- bash tests/support/keyring.sh COMMAND [ARGUMENT ...]
# Folders of its own: a keyring that somebody uses on this machine is neither found nor touched.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -m 700 "$folder/runtime"
env=(XDG_DATA_HOME="$folder/data" XDG_RUNTIME_DIR="$folder/runtime" XDG_CURRENT_DESKTOP=GNOME)
printf 'test' | env -u GNOME_KEYRING_CONTROL "${env[@]}" \
  gnome-keyring-daemon --unlock --components=secrets >/dev/null
env -u GNOME_KEYRING_CONTROL "${env[@]}" "$@"
