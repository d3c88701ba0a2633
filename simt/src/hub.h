/* Communicators whose ranks are in several processes of one host. */
#ifndef SIMT_HUB_H
#define SIMT_HUB_H

#include "wire.h"

/* ---- hub.c: where they meet ---- */

/* Where other processes find this one, from now on; NULL: they cannot. */
const char *simt_hub_name(void);
/* Is it this process that has the name? */
bool simt_hub_is_here(const char *name);

/* ---- remote.c: who goes there ---- */

/* A rank of this process joins a communicator of the process that has the name. */
ncclResult_t simt_remote_join(const char *name, const ncclUniqueId *id, int count, int rank,
                              int device, ncclComm_t *comm);

#endif
