/* What endgame tables say of a position, for programs in C and C++.
 *
 * Open a directory of tables once, probe it from any number of threads:
 *
 *     mansuba_tables* tables;
 *     mansuba_value value;
 *     if (mansuba_open("tables", 0, &tables) != MANSUBA_OK ||
 *         mansuba_probe_fen(tables, "8/8/8/8/8/2k5/1R6/K7 w - - 0 1", &value) != MANSUBA_OK)
 *         fprintf(stderr, "%s\n", mansuba_error_message());
 *     mansuba_close(tables);
 *
 * A function that can fail returns a mansuba_status and, unless that is MANSUBA_OK, leaves what its
 * pointers point to as it was. No function prints, ends the process or lets a C++ exception out.
 * The tables are files that `mansuba build` makes. Squares are numbers, a1 = 0, b1 = 1, h8 = 63;
 * sets of squares have a bit for each.
 */
#ifndef MANSUBA_PROBE_H
#define MANSUBA_PROBE_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define MANSUBA_API
#else
#define MANSUBA_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* 0, 2, 3 and 70 are the exit codes of the program mansuba. From 20 on stand the kinds of wrong
 * input that a program meets in ordinary use and wants to tell apart. */
typedef enum mansuba_status {
    MANSUBA_OK = 0,
    MANSUBA_INVALID = 2, /* a FEN or position that is wrong or has too many men; a null pointer */
    MANSUBA_FILE = 3,    /* a file or directory that cannot be read, or a damaged or foreign file */
    MANSUBA_NO_TABLE = 20, /* a table that is needed, or its wins and losses, is not there */
    MANSUBA_CASTLING = 21, /* a position with castling rights: tables know none */
    MANSUBA_INTERNAL = 70  /* a fault of ours, or no memory */
} mansuba_status;

/* Why the last function that failed in this thread did so: one line, without a line break at its end;
 * "" if none has failed. Valid until the next failure in this thread. */
MANSUBA_API const char* mansuba_error_message(void);

/* "0.1.0"; of the library that runs, which need not be the one that was compiled against. */
MANSUBA_API const char* mansuba_version(void);

/* An open directory of tables. */
typedef struct mansuba_tables mansuba_tables;

/* Opens a directory. Its files are opened, and checked, when a position first needs them: so an empty
 * directory is no error, and files that are added later are found unless they were missed before.
 * Of what was read at most `cache_bytes` are kept decompressed in memory, for all tables together;
 * 0 means 256 MiB. Several directories may be open at once.
 *
 * MANSUBA_FILE if there is no such directory; MANSUBA_INVALID for a null pointer. */
MANSUBA_API mansuba_status mansuba_open(const char* directory, size_t cache_bytes,
                                        mansuba_tables** tables);

/* Closes it; null is fine. No other thread may be using it, or use it afterwards. */
MANSUBA_API void mansuba_close(mansuba_tables* tables);

/* Which men stand where, whose turn it is, and rights. All zero is a good start to fill it in. */
typedef struct mansuba_position {
    uint64_t white, black;                                  /* sets of squares, by colour */
    uint64_t pawns, knights, bishops, rooks, queens, kings; /* and by kind */
    uint64_t castling_rooks; /* rooks that may still castle; must be 0 for a probe */
    uint8_t black_to_move;   /* 0 or 1 */
    /* The square that a pawn has just passed over, 0: none. It is fine to give it after every double
     * step, whether somebody can capture there or not. */
    uint8_t en_passant;
} mansuba_position;

/* Reads a FEN or EPD: four fields or six, castling rights of chess or Chess960. An en passant square
 * where nobody can legally capture is the same as none. MANSUBA_INVALID, and the message names field
 * and reason, if it is no legal position. */
MANSUBA_API mansuba_status mansuba_read_fen(const char* fen, mansuba_position* position);

/* In place of a distance that there is not: */
#define MANSUBA_UNKNOWN 30000 /* some table needed was built without this metric */
#define MANSUBA_NO_MATE 30001 /* the position is drawn, so there is no mate to count to */

/* All values are those of the side to move, from a half-move clock of 0 on. */
typedef struct mansuba_value {
    /* 2 win, 1 cursed win (drawn by the 50-move rule), 0 draw, -1 blessed loss, -2 loss. */
    int wdl;
    /* Plies to the next capture, pawn move or mate with best play, exact; positive if the side to
     * move wins, negative if it loses, -1 if it is mated. 0 for draws. MANSUBA_UNKNOWN. */
    int dtz;
    /* Plies to mate with best play, whatever the 50-move rule says, exact; signs as for dtz, 0 if
     * the side to move is mated. MANSUBA_NO_MATE for draws, MANSUBA_UNKNOWN. */
    int dtm;
} mansuba_value;

/* What the tables say of a position. En passant rights are honoured. May be called by any number of
 * threads at once; takes well below a microsecond where what it reads is in the cache.
 *
 * MANSUBA_CASTLING; MANSUBA_INVALID if the position is not legal or has more than 7 men;
 * MANSUBA_NO_TABLE, and the message names the table; MANSUBA_FILE if it is damaged: checksums are
 * tested before a value is used. */
MANSUBA_API mansuba_status mansuba_probe(mansuba_tables* tables, const mansuba_position* position,
                                         mansuba_value* value);

/* mansuba_read_fen, then mansuba_probe. */
MANSUBA_API mansuba_status mansuba_probe_fen(mansuba_tables* tables, const char* fen,
                                             mansuba_value* value);

/* A legal move, and what it leads to. */
typedef struct mansuba_move {
    uint8_t from, to;  /* squares */
    char promotion;    /* 'q', 'r', 'b' or 'n'; 0: none */
    uint8_t zeroing;   /* 1 for captures and pawn moves: the 50-move count starts anew */
    uint8_t checkmate; /* 1 if the move mates */
    uint8_t stalemate; /* 1 if the move leaves the other side without a legal move, not in check */
    mansuba_value after; /* of the position after the move, so the other side's */
} mansuba_move;

/* No position that tables know has more legal moves. */
#define MANSUBA_MAX_MOVES 218

/* All legal moves of a position, in no particular order, with the values of the positions they lead
 * to. `moves` has room for `capacity` of them, `count` receives how many there are; more moves than
 * room are MANSUBA_INVALID. On errors, which are those of mansuba_probe, `moves` may hold anything.
 * Thread-safe as mansuba_probe. */
MANSUBA_API mansuba_status mansuba_probe_moves(mansuba_tables* tables,
                                               const mansuba_position* position,
                                               mansuba_move* moves, size_t capacity, size_t* count);

#ifdef __cplusplus
}
#endif

#endif
