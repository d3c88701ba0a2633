/* Work that waits in streams, with SIMT_STREAMS=deferred, until somebody needs it done. */
#ifndef SIMT_QUEUE_H
#define SIMT_QUEUE_H

#include "work.h"

/* What was submitted to one stream and has not run yet. */
typedef struct simt_queue simt_queue;

/* NULL: no memory. One that is ordered goes by the device's default stream, and that by it. */
simt_queue *simt_queue_new(int device, bool ordered);
/* Of the device's default stream. */
simt_queue *simt_queue_default(int device);
/* Its stream is gone: it lasts until its work has run. */
void simt_queue_abandon(simt_queue *queue);
/* Takes the work over, unless it fails. */
cudaError_t simt_queue_add(simt_queue *queue, const simt_work *work);
/* Has all its work run? If not, some more has now. */
bool simt_queue_is_done(simt_queue *queue);
bool simt_queue_has_passed(const simt_mark *mark);

/* These run work until all that was submitted to the queue, to the device's queues or before the
 * mark has run. After a sticky error work is dropped instead. */
void simt_queue_finish(simt_queue *queue);
void simt_queue_finish_device(int device);
void simt_queue_finish_all(void);
void simt_queue_finish_mark(const simt_mark *mark);

/* Something that work waits for may have come. */
void simt_queue_look_again(void);

#endif
