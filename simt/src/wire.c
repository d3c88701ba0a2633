/* Sockets between processes of one host. A name that begins with a zero byte is in no file system,
 * and is gone with who listens to it. */
#define _GNU_SOURCE
#include "wire.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void simt_wire_make_name(char *name, size_t room)
{
    uint64_t number;
    if (getrandom(&number, sizeof number, 0) == (ssize_t)sizeof number)
        snprintf(name, room, "simt-%d-%016llx", (int)getpid(), (unsigned long long)number);
    else
        *name = '\0';
}

static socklen_t address_of(const char *name, struct sockaddr_un *address)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    snprintf(address->sun_path + 1, sizeof address->sun_path - 1, "%s", name);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(address->sun_path + 1));
}

static int close_unless(bool good, int wire)
{
    if (good || wire < 0)
        return wire;
    close(wire);
    return -1;
}

int simt_wire_listen(const char *name)
{
    struct sockaddr_un address;
    const socklen_t bytes = address_of(name, &address);
    const int wire = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return close_unless(wire >= 0 && bind(wire, (struct sockaddr *)&address, bytes) == 0 &&
                            listen(wire, SIMT_MAX_RANKS) == 0,
                        wire);
}

int simt_wire_accept(int listening)
{
    int wire;
    do
        wire = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
    while (wire < 0 && (errno == EINTR || errno == ECONNABORTED));
    return wire;
}

int simt_wire_connect(const char *name)
{
    struct sockaddr_un address;
    const socklen_t bytes = address_of(name, &address);
    const int wire = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return close_unless(wire >= 0 && connect(wire, (struct sockaddr *)&address, bytes) == 0, wire);
}

static bool write_all(int wire, const void *from, size_t bytes)
{
    const char *at = from;
    while (bytes > 0) {
        const ssize_t sent = send(wire, at, bytes, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return false;
        at += sent > 0 ? sent : 0;
        bytes -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

bool simt_wire_send(int wire, const simt_letter *letter, const void *bytes)
{
    return write_all(wire, letter, sizeof *letter) && write_all(wire, bytes, letter->bytes);
}

bool simt_wire_read(int wire, void *to, size_t bytes)
{
    char nobodys[4096], *at = to;
    while (bytes > 0) {
        const size_t most = to != NULL || bytes < sizeof nobodys ? bytes : sizeof nobodys;
        const ssize_t got = recv(wire, to != NULL ? at : nobodys, most, 0);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        at += got > 0 && to != NULL ? got : 0;
        bytes -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

bool simt_wire_receive(int wire, simt_letter *letter)
{
    return simt_wire_read(wire, letter, sizeof *letter);
}

void simt_wire_end(int wire, bool both_ways)
{
    shutdown(wire, both_ways ? SHUT_RDWR : SHUT_WR);
}
