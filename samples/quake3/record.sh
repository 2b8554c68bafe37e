#!/bin/bash
# Makes the recordings of this folder again: record.sh [NAME...]   (all of them without a name)
#
# Debian 12:  apt-get install openarena openarena-server xvfb libgl1-mesa-dri
# A screen:   Xvfb :77 -screen 0 640x480x24 &
#
# Results land in $OUT (./recorded).  Bots play with random numbers, so a new run shows
# another match: the recordings differ, the kinds of things in them do not.
set -u
export PATH=$PATH:/usr/games LIBGL_ALWAYS_SOFTWARE=1 SDL_AUDIODRIVER=dummy DISPLAY=${DISPLAY:-:77} LP_NUM_THREADS=1
OUT=${OUT:-$PWD/recorded}; W=$(mktemp -d); mkdir -p "$OUT"
fresh() { # fresh NAME: an empty home directory with the low-detail settings
  H=$W/$1; rm -rf "$H"; mkdir -p "$H/.openarena/baseoa"
  cat > "$H/.openarena/baseoa/autoexec.cfg" <<'X'
set cl_renderer opengl1
set r_fullscreen 0
set r_mode -1
set r_customwidth 320
set r_customheight 240
set r_picmip 5
set r_vertexlight 1
set r_fastsky 1
set r_dynamiclight 0
set cg_shadows 0
set cg_marks 0
set cg_simpleItems 1
set com_maxfps 40
set com_introplayed 1
set s_initsound 0
set in_mouse 0
set sv_pure 0
set sv_floodProtect 0
set g_log games.log
set g_logsync 1
set g_spskill 4
set bot_nochat 1
X
}
start() { # start NAME ARGS...: the client, reading its console from a fifo
  N=$1; shift; fresh "$N"; G=$H/.openarena/baseoa/games.log
  mkfifo "$H/in"; exec 3<>"$H/in"
  HOME=$H nice openarena "$@" <"$H/in" >"$H/out" 2>&1 & P=$!
}
c() { echo "$*" >&3; sleep 0.1; }
ready() { for i in $(seq 60); do grep -aq 'entered the game' "$H/out" && break; sleep 0.5; done; sleep 2; }
bots() { for b in "$@"; do c "addbot $b"; sleep 0.4; done; }
rec() { c "record $N"; FROM=$(($(wc -l <"$G")+1)); sleep 0.5; c "say recording starts"; }
stop() { c "say recording stops"; sleep 0.6; echo stoprecord >&3; TO=$(wc -l <"$G"); sleep 0.5; echo "$N lines $FROM $TO"; cp "$H"/.openarena/baseoa/demos/"$N".dm_* "$OUT/"; sed -n "$FROM,${TO}p" "$G" >"$OUT/$N.log"; }
quit() { c quit; wait $P; }
# play N: N seconds of running about, turning, jumping, shooting
play() { for i in $(seq $(($1*2))); do
  case $((RANDOM%6)) in 0) c '+left;-right';; 1) c '+right;-left';; 2) c '-left;-right';; 3) c '+moveup';; 4) c '-moveup;weapnext';; 5) c '+forward;-moveup';; esac
  if [ $((i%3)) = 0 ]; then c '-attack'; else c '+attack'; fi; sleep 0.3; done; c '-left;-right;-moveup;-attack;-forward'; }

dm_bots() {
  start dm_bots +set name '^1Red^7Fox' +set model sarge +set sv_hostname 'Sample ^2deathmatch' +set g_gametype 0 +set fraglimit 5 +set timelimit 0 +map oa_minia
  ready; c "sensitivity 1"; bots "Gargoyle 4" "Grism 5" "Kyonshi 4"
  rec; bots "Major 5"; play 8; c 'say hello, ^1all ^4of ^7you'; play 4
  c 'say ^2green ^7and 100% "quoted"'; play 8
  c 'name ^5Blue^3Wolf'; play 5; c 'say who am I now?'; play 3; c 'kill'; play 6; c 'tell 1 psst, Gargoyle'; c 'model kyonshi'; 
  for i in $(seq 60); do grep -aq Exit: "$G" && break; play 2; done
  c '+scores'; sleep 5; c '-scores'; stop; quit
}

ctf_bots() {
  start ctf_bots +set name '^4Cap^7tain' +set model sarge +set sv_hostname 'Sample ctf' +set g_gametype 4 +set capturelimit 5 +set fraglimit 0 +set timelimit 0 +devmap am_lavactf
  ready; c 'team red'
  bots "Gargoyle 4 red" "Grism 5 blue" "Kyonshi 4 red" "Major 5 blue" "Beret 4 blue"
  sleep 2; rec; c 'say_team cover the flag'; play 4; c 'kill'; sleep 2; c '+attack'; sleep 0.5; c '-attack'; sleep 0.5; c 'say_team ^3I attack'
  c 'setviewpos -800 -800 8 45'; sleep 1; c 'setviewpos 800 800 8 225'; sleep 1; c 'vsay_team onoffense'; play 4
  c 'give quad damage'; c 'give rocket launcher'; play 6; c 'kill'; sleep 2; c '+attack'; sleep 0.5; c '-attack'; sleep 0.5
  c 'setviewpos -800 -800 8 45'; sleep 1.5; c 'kill'; sleep 2; play 10; c 'say to everybody'; play 8
  c 'team blue'; play 8; c 'say_team I am blue now'; play 6
  stop; quit
}

spectator() {
  start spectator +set name '^6Watch^7er' +set model sarge +set sv_hostname 'Sample spectator' +set g_gametype 3 +set fraglimit 20 +set timelimit 0 +set g_friendlyFire 1 +map pul1duel-oa
  ready; c 'team spectator'; bots "Gargoyle 5 red" "Grism 5 blue" "Kyonshi 5 red" "Major 5 blue"
  sleep 4; rec; c '+forward'; sleep 5; c '-forward'; c 'follow Gargoyle'; sleep 20; c 'say now the next one'; c 'follownext'; sleep 20; c 'follow 4'; sleep 12
  c 'team red'; play 6; c 'say_team hello reds'; play 5; stop; quit
}

warmup_restart() {
  start warmup_restart +set com_protocol 68 +set com_legacyprotocol 68 +set name '^1War^2my' +set model sarge +set sv_hostname 'Sample warmup' +set g_gametype 0 +set fraglimit 20 +set timelimit 0 +set g_doWarmup 1 +set g_warmup 20 +map oa_rpg3dm2
  ready; bots "Gargoyle 4" "Grism 5" "Kyonshi 4" "Major 5"
  rec; play 25; c 'callvote fraglimit 15'; play 3; c 'set g_warmup 5'; c 'map_restart 5'; c 'say restarted'; play 14
  c 'map_restart 0'; play 8; stop; quit
}

packet_loss() {
  fresh packet_loss_server; SH=$H
  mkfifo "$SH/in"; exec 4<>"$SH/in"
  HOME=$SH nice openarena-server +set dedicated 1 +set net_enabled 1 +set net_ip 127.0.0.1 +set net_port 27970 +set sv_pure 0 +set sv_hostname 'Sample packet loss' +set bot_nochat 1 +set g_log games.log +set g_logsync 1 +set g_gametype 0 +set fraglimit 30 +set timelimit 0 +map aggressor <"$SH/in" >"$SH/out" 2>&1 & SP=$!
  sleep 6; for b in "Gargoyle 4" "Grism 5" "Kyonshi 4" "Major 5"; do echo "addbot $b" >&4; sleep 0.5; done
  start packet_loss +set net_enabled 1 +set net_ip 127.0.0.1 +set net_port 27971 +set name '^3Lossy' +set model sarge +connect 127.0.0.1:27970
  G=$SH/.openarena/baseoa/games.log
  ready; echo 'net_dropsim 12' >&4; c 'net_dropsim 15'; sleep 1
  rec; play 20; c 'say can you hear me?'; play 10; c 'name ^3Very^1Lossy'; play 12; echo 'say the server speaks' >&4; play 6
  stop; echo 'net_dropsim 0' >&4; c 'net_dropsim 0'; quit; echo quit >&4; wait $SP
}

crowd_latency() {
  fresh crowd_latency_server; SH=$H
  mkfifo "$SH/in"; exec 4<>"$SH/in"
  HOME=$SH nice openarena-server +set com_legacyprotocol 68 +set dedicated 1 +set net_enabled 1 +set net_ip 127.0.0.1 +set net_port 27970 +set sv_fps 30 +set sv_maxclients 16 +set sv_pure 0 +set sv_hostname 'Sample crowd' +set bot_nochat 1 +set g_log games.log +set g_logsync 1 +set g_gametype 0 +set fraglimit 0 +set timelimit 0 +devmap oa_shouse <"$SH/in" >"$SH/out" 2>&1 & SP=$!
  sleep 6; for b in "Gargoyle 5" "Grism 5" "Kyonshi 5" "Major 5" "Beret 5" "Sergei 5" "Neko 5" "Ayumi 5" "Jenna 5" "Tony 5" "Penguin 5"; do echo "addbot $b" >&4; sleep 0.4; done
  start crowd_latency +set com_legacyprotocol 68 +set net_enabled 1 +set net_ip 127.0.0.1 +set net_port 27971 +set name '^3Far^5Away' +set model sarge +set snaps 30 +set rate 90000 +connect 127.0.0.1:27970
  G=$SH/.openarena/baseoa/games.log
  ready; echo 'sv_packetdelay 80' >&4; c 'cl_packetdelay 150'; sleep 2
  rec; play 16; c 'give all'; play 10; c 'say lagging'; play 10
  stop; quit; echo quit >&4; wait $SP
}

# with `fragreel` in the PATH
elimination() {
  fresh elimination; G=$H/.openarena/baseoa/games.log
  mkfifo "$H/in"; exec 4<>"$H/in"
  HOME=$H nice openarena-server +set dedicated 1 +set net_enabled 1 +set net_ip 127.0.0.1 +set net_port 27980 +set sv_pure 0 +set sv_hostname 'Sample elimination' +set bot_nochat 1 +set g_log games.log +set g_logsync 1 +set g_gametype 8 +set capturelimit 2 +set timelimit 0 +set elimination_roundtime 20 +set elimination_warmup 4 +set elimination_activewarmup 2 +set g_doWarmup 1 +set g_warmup 8 +map oa_minia <"$H/in" >"$H/out" 2>&1 & SP=$!
  for b in "Gargoyle 5 red" "Grism 5 blue" "Kyonshi 5 red" "Major 5 blue"; do echo "addbot $b" >&4; done
  while ! grep -aq 'ClientBegin: 3' "$H/out"; do sleep 0.2; done
  fragreel record q3://127.0.0.1:27980 -o "$OUT/elimination.dm_71" --for 1:25
  echo quit >&4; wait $SP
  sed -n '/ClientConnect: 4/,/ClientDisconnect: 4/p' "$G" >"$OUT/elimination.log"
}

if [ $# = 0 ]; then set -- dm_bots ctf_bots spectator warmup_restart packet_loss crowd_latency elimination; fi
for scenario in "$@"; do "$scenario"; done
rm -rf "$W"
