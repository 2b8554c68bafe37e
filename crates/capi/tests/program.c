/* Does with one recording what an engine would: opens it, asks, walks over its frames, cuts a part out. Prints what the test compares. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fragreel.h"

static uint8_t *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        exit(3);
    long size = ftell(file);
    uint8_t *bytes = malloc(size > 0 ? (size_t)size : 1);
    rewind(file);
    if (!bytes || size < 0 || fread(bytes, 1, (size_t)size, file) != (size_t)size)
        exit(3);
    fclose(file);
    *length = (size_t)size;
    return bytes;
}

/* Prints text, and frees it. */
static void print(const char *what, char *text, char *error)
{
    if (!text) {
        printf("%s failed: %s\n", what, error ? error : "without a word");
        fragreel_free_string(error);
        return;
    }
    printf("%s %s\n", what, text);
    fragreel_free_string(text);
}

int main(int count, char **arguments)
{
    if (count != 3)
        return 2;
    size_t length;
    char *error = NULL;
    uint8_t *bytes = read_file(arguments[1], &length);
    fragreel_recording *recording = fragreel_open(bytes, length, arguments[1], &error);
    free(bytes);
    if (!recording) {
        print("open", NULL, error);
        return 1;
    }
    printf("version %s\n", fragreel_version());
    char *text = fragreel_info(recording, &error);
    print("info", text, error);
    text = fragreel_events(recording, "kill", &error);
    print("events", text, error);
    text = fragreel_events(recording, "no such kind", &error);
    print("wrong", text, error);
    text = fragreel_scores(recording, NULL);
    print("scores", text, NULL);
    text = fragreel_verify(recording, &error);
    print("verify", text, error);

    size_t cut_length = 0;
    char *report = NULL;
    uint8_t *cut = fragreel_cut(recording, 0, 3000, &cut_length, &report, &error);
    print("cut", report, error);
    FILE *file = fopen(arguments[2], "wb");
    if (!cut || !file || fwrite(cut, 1, cut_length, file) != cut_length || fclose(file) != 0)
        return 3;
    fragreel_free_bytes(cut, cut_length);

    fragreel_frames_walk *frames = fragreel_frames(recording, 1.0, &error);
    fragreel_close(recording);
    int number = 0;
    while ((text = fragreel_next_frame(frames, &error)) != NULL) {
        if (number++ == 0)
            printf("frame %s\n", text);
        fragreel_free_string(text);
    }
    printf("frames %d %s\n", number, error ? error : "");
    fragreel_close_frames(frames);

    /* what does nothing, and does no harm */
    fragreel_close(NULL);
    fragreel_close_frames(NULL);
    fragreel_free_string(NULL);
    fragreel_free_bytes(NULL, 0);
    text = fragreel_info(NULL, &error);
    print("null", text, error);
    return 0;
}
