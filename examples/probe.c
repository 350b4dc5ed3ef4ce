/* What the tables say of positions: probe DIRECTORY FEN...
 *
 * One line a FEN; the exit code is the status of the last one that failed, else 0. */
#include <stdio.h>

#include <mansuba/probe.h>

static void print_distance(const char* name, int plies) {
    if (plies == MANSUBA_UNKNOWN)
        printf(" %s unknown", name);
    else if (plies == MANSUBA_NO_MATE)
        printf(" %s none", name);
    else
        printf(" %s %d", name, plies);
}

int main(int argc, char** argv) {
    mansuba_tables* tables;
    mansuba_status result;
    int i;

    if (argc < 3) {
        fprintf(stderr, "usage: %s DIRECTORY FEN...\n", argv[0]);
        return MANSUBA_INVALID;
    }
    result = mansuba_open(argv[1], 0, &tables);
    if (result != MANSUBA_OK) {
        fprintf(stderr, "%s\n", mansuba_error_message());
        return result;
    }
    for (i = 2; i < argc; ++i) {
        mansuba_value value;
        const mansuba_status status = mansuba_probe_fen(tables, argv[i], &value);
        if (status != MANSUBA_OK) {
            fprintf(stderr, "%s\n", mansuba_error_message());
            result = status;
            continue;
        }
        printf("wdl %d", value.wdl);
        print_distance("dtz", value.dtz);
        print_distance("dtm", value.dtm);
        printf("\n");
    }
    mansuba_close(tables);
    return result;
}
