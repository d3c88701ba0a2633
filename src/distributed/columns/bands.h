/* Inside distributed: a matrix that is divided into bands of rows, one for each rank. h_counts, and
 * the counts of team.h and cut.h, are rows. */
#ifndef PRIM_DISTRIBUTED_BANDS_H
#define PRIM_DISTRIBUTED_BANDS_H

#include "distributed/team/team.h"

typedef struct prim_bands {
    prim_op op;
    prim_transform transform;
    cudaDataType_t in_type;
    size_t columns, ld;
    cudaDataType_t out_type;
} prim_bands;

/* bands.c: the check of the whole matrix, as one GPU would be given it; the arguments that all
 * ranks compare; the check of operands, with `results` results at each rank; the workspace of one
 * GPU for the columns of that many rows. */
prim_status prim_bands_check_whole(const prim_team *team);
void prim_bands_sign(const prim_team *team, prim_digest *digest);
prim_status prim_bands_check(const prim_team *team, const prim_member *member, size_t results,
                             prim_operands *operands);
prim_status prim_bands_check_columns(const prim_team *team, const prim_member *member,
                                     prim_operands *operands);
prim_status prim_bands_columns_bytes(const prim_team *team, size_t rows, size_t *bytes);

/* ordered_columns.c: sums and products of floats. gathered_columns.c: all else, in any order. */
extern const prim_team_steps prim_ordered_columns_steps, prim_gathered_columns_steps;

#endif
