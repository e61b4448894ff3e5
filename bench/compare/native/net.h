// Shared by the load client and the backend: time, sockets, and the end of an HTTP message.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define PIECE 65536
#define MAX_HEAD 8192

static inline void die(const char *what) {
  perror(what);
  exit(1);
}

/** Nanoseconds of the monotonic clock. */
static inline uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/** Raises the limit of file descriptors to its maximum, and lets timers fire when they are due. */
static inline void unlimit(void) {
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  prctl(PR_SET_TIMERSLACK, 1);
}

static inline struct sockaddr_in loopback(int port) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return to;
}

static inline void set_fast(int fd) {
  int one = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  fcntl(fd, F_SETFL, O_NONBLOCK);
}

/** Waits where the socket takes no more: what is sent here fits into its buffer nearly always. False when it is gone. */
static inline int send_all(int fd, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t sent = send(fd, bytes, length, MSG_NOSIGNAL);
    if (sent < 0 && errno == EAGAIN) {
      struct pollfd writable = {.fd = fd, .events = POLLOUT};
      poll(&writable, 1, 1000);
    } else if (sent < 0) return 0;
    else bytes += sent, length -= (size_t)sent;
  }
  return 1;
}

static inline void watch(int poller, int fd, void *who) {
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = who};
  if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event) < 0) die("epoll_ctl");
}

static inline void fire_at(int timer, uint64_t at) {
  struct itimerspec when = {.it_value = {.tv_sec = (time_t)(at / 1000000000u), .tv_nsec = (long)(at % 1000000000u)}};
  timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL);
}

enum part { HEAD, COUNTED, CHUNKED };

/** An HTTP message as far as it was read. Nothing follows it before it was answered: nobody pipelines here. */
struct message {
  enum part part;
  int head_length;
  long left;
  char head[MAX_HEAD + 1];
  /** The last bytes of the body, which tell where a chunked one ends. */
  char tail[65];
  int tail_length;
};

static inline void begin(struct message *m) {
  m->part = HEAD;
  m->head_length = 0;
  m->left = 0;
  m->tail_length = 0;
}

static inline void keep_tail(struct message *m, const char *bytes, long length) {
  const int most = (int)sizeof m->tail - 1;
  const int fresh = length > most ? most : (int)length;
  const int kept = m->tail_length + fresh > most ? most - fresh : m->tail_length;
  memmove(m->tail, m->tail + m->tail_length - kept, (size_t)kept);
  memcpy(m->tail + kept, bytes + length - fresh, (size_t)fresh);
  m->tail_length = kept + fresh;
}

static inline int ends_with(const struct message *m, const char *text) {
  const int length = (int)strlen(text);
  return m->tail_length >= length && memcmp(m->tail + m->tail_length - length, text, (size_t)length) == 0;
}

/** Takes what came; says how many bytes of it are body. `done` is set once the message is complete. */
static inline long take(struct message *m, const char *bytes, long length, int *done) {
  *done = 0;
  long at = 0;
  if (m->part == HEAD) {
    const int before = m->head_length;
    const int room = MAX_HEAD - before;
    const int taken = length < room ? (int)length : room;
    memcpy(m->head + before, bytes, (size_t)taken);
    m->head_length = before + taken;
    m->head[m->head_length] = 0;
    const char *end = strstr(m->head + (before > 3 ? before - 3 : 0), "\r\n\r\n");
    if (!end) {
      if (taken < length) fprintf(stderr, "a head larger than %d bytes\n", MAX_HEAD), exit(1);
      return 0;
    }
    m->head_length = (int)(end - m->head) + 4;
    m->head[m->head_length] = 0;
    at = m->head_length - before;
    const char *counted = strcasestr(m->head, "\r\ncontent-length:");
    m->part = strcasestr(m->head, "\r\ntransfer-encoding: chunked") ? CHUNKED : COUNTED;
    m->left = m->part == COUNTED && counted ? atol(counted + 17) : 0;
    keep_tail(m, "\r\n", 2);
  }
  const long body = length - at;
  if (body > 0) keep_tail(m, bytes + at, body);
  if (m->part == COUNTED) m->left -= body, *done = m->left <= 0;
  else *done = ends_with(m, "\r\n0\r\n\r\n");
  return body;
}
