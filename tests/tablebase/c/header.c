/* The header alone, in C; used so that nothing of it is optimised away. */
#include "mansuba/probe.h"

mansuba_status probe_from_c(mansuba_tables* tables, const char* fen, int* dtm);

mansuba_status probe_from_c(mansuba_tables* tables, const char* fen, int* dtm) {
    mansuba_position position;
    mansuba_value value;
    mansuba_status status = mansuba_read_fen(fen, &position);
    if (status == MANSUBA_OK) status = mansuba_probe(tables, &position, &value);
    if (status == MANSUBA_OK) *dtm = value.dtm;
    return status;
}
