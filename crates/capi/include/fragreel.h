/* Fragreel: game recordings of Quake, QuakeWorld, Quake II, Quake III and Half-Life.
 *
 * Functions that can fail take `error`. It may be NULL. After a failure, they return NULL and set `*error` to a message for people, which
 * fragreel_free_string frees; otherwise `*error` is NULL. Text is UTF-8. docs/json.md describes the JSON. */

#ifndef FRAGREEL_H
#define FRAGREEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An open recording. Threads may share it. */
typedef struct fragreel_recording fragreel_recording;

/* A walk over the frames of a recording, for one thread at a time. */
typedef struct fragreel_frames_walk fragreel_frames_walk;

/* The version of the library, such as "0.1.0". It is not freed. */
const char *fragreel_version(void);

/* Opens a recording, compressed with gzip or not. The bytes are copied. `name` is the file's name, which some formats need to be recognized. */
fragreel_recording *fragreel_open(const uint8_t *bytes, size_t length, const char *name, char **error);

/* Closes a recording. Walks over its frames remain usable. */
void fragreel_close(fragreel_recording *recording);

/* The recording's game, map, and players: the output of `fragreel info --json`, without `path`. */
char *fragreel_info(const fragreel_recording *recording, char **error);

/* Whether it is whole: the output of `fragreel verify --json`, without `path`. */
char *fragreel_verify(const fragreel_recording *recording, char **error);

/* The scoreboard of each match: an array of the objects that `fragreel scores --json` prints. */
char *fragreel_scores(const fragreel_recording *recording, char **error);

/* The events: an array of the objects that `fragreel events --json` prints. `kinds` has names separated by commas, such as "kill,flag"; NULL means all. */
char *fragreel_events(const fragreel_recording *recording, const char *kinds, char **error);

/* Begins a walk over the frames: over every frame, or, if `hz` is above zero, over at most this number of frames a second. */
fragreel_frames_walk *fragreel_frames(const fragreel_recording *recording, double hz, char **error);

/* The next frame: a line of `fragreel frames --json`, without `path`. At the end it returns NULL, and `*error` is NULL. */
char *fragreel_next_frame(fragreel_frames_walk *frames, char **error);

/* Ends a walk. */
void fragreel_close_frames(fragreel_frames_walk *frames);

/* The frames from `from` to `to` (milliseconds since the first frame; `to` below zero means the end) as a file that the game plays. `*length`
 * becomes its length, and fragreel_free_bytes frees it. `*report` becomes JSON with `extension`, `actions`, `losses`, `whole`, the number of
 * `frames` compared with the source, the number of `differing` ones, and `differences`; `report` may be NULL. */
uint8_t *fragreel_cut(const fragreel_recording *recording, int64_t from, int64_t to, size_t *length, char **report, char **error);

/* Frees text that a function returned. */
void fragreel_free_string(char *text);

/* Frees bytes that a function returned, with their length. */
void fragreel_free_bytes(uint8_t *bytes, size_t length);

#ifdef __cplusplus
}
#endif

#endif
