// A backend that speaks the wire of OpenAI with canned bytes. `backend PORT`. The prompt selects the answer:
// bench:whole, bench:burst (a stream in one piece), bench:paced (an event every 10 ms), bench:idle (one event, then silence).
#include "net.h"

#define EVENTS 64
#define PACE_NS 10000000u
#define MOST 65536

struct connection {
  int fd;
  struct message request;
  char mode;
  int next;
  uint64_t due;
  int paced_at;
};

static char whole[2048], head_and_first[2048], burst[PIECE];
static char chunks[EVENTS + 2][512];
static int whole_length, first_length, burst_length, chunk_lengths[EVENTS + 2];
static struct connection *paced[MOST];
static int paced_count, ticker;

#define SAYS(more) "{\"id\":\"chatcmpl-bench\",\"object\":\"chat.completion.chunk\",\"created\":1795255200,\"model\":\"bench-model\"," more "}"

static int chunk_of(char *into, const char *json) {
  return sprintf(into, "%zx\r\ndata: %s\n\n\r\n", strlen(json) + 8, json);
}

/** The events of a stream: 62 with content, one that finishes, one with the usage; then the marker and the end. */
static void fill(void) {
  const char *answer =
      "{\"id\":\"chatcmpl-bench\",\"object\":\"chat.completion\",\"created\":1795255200,\"model\":\"bench-model\",\"choices\":[{\"index\":0,"
      "\"message\":{\"role\":\"assistant\",\"content\":\"The gateway admits a request once, holds what it may cost, relays what the "
      "backend says as it comes, and settles the truth before the last byte. A request that was refused consumed nothing, and one "
      "that was cut is charged for what was said. Whoever asks the ledger afterwards finds one row for each answer, and the sum of "
      "them is what the account has spent.\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":240,\"completion_tokens\":80,\"total_tokens\":320}}";
  whole_length = sprintf(whole, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s", strlen(answer), answer);
  const char *head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int at = 0; at < EVENTS - 2; at++)
    chunk_lengths[at] = chunk_of(chunks[at], at == 0 ? SAYS("\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"The\"},\"finish_reason\":null}]")
                                                     : SAYS("\"choices\":[{\"index\":0,\"delta\":{\"content\":\" gateway\"},\"finish_reason\":null}]"));
  chunk_lengths[EVENTS - 2] = chunk_of(chunks[EVENTS - 2], SAYS("\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]"));
  chunk_lengths[EVENTS - 1] = chunk_of(chunks[EVENTS - 1], SAYS("\"choices\":[],\"usage\":{\"prompt_tokens\":240,\"completion_tokens\":62,\"total_tokens\":302}"));
  chunk_lengths[EVENTS] = sprintf(chunks[EVENTS], "e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n");
  burst_length = sprintf(burst, "%s", head);
  for (int at = 0; at <= EVENTS; at++) burst_length += sprintf(burst + burst_length, "%s", chunks[at]);
  first_length = sprintf(head_and_first, "%s%s", head, chunks[0]);
}

static void leave(struct connection *c) {
  if (c->paced_at >= 0) {
    paced[c->paced_at] = paced[--paced_count];
    paced[c->paced_at]->paced_at = c->paced_at;
    c->paced_at = -1;
  }
}

static void drop(struct connection *c) {
  leave(c);
  close(c->fd);
  free(c);
}

/** The prompt stands near the beginning of the body, which is in the first piece. */
static char mode_of(const char *piece, long length) {
  const char *mark = memmem(piece, (size_t)length, "bench:", 6);
  return mark ? mark[6] : 0;
}

static void answer(struct connection *c) {
  if (c->mode == 'b') send_all(c->fd, burst, (size_t)burst_length);
  else if (c->mode == 'p' || c->mode == 'i') {
    send_all(c->fd, head_and_first, (size_t)first_length);
    if (c->mode == 'p' && paced_count < MOST) {
      c->next = 1;
      c->due = now_ns() + PACE_NS;
      c->paced_at = paced_count;
      paced[paced_count++] = c;
      if (paced_count == 1) fire_at(ticker, c->due);
    }
  } else send_all(c->fd, whole, (size_t)whole_length);
  begin(&c->request);
  c->mode = 0;
}

/** Sends what is due, and comes again for what is due next. */
static void tick(void) {
  const uint64_t now = now_ns();
  uint64_t soonest = UINT64_MAX;
  for (int at = paced_count - 1; at >= 0; at--) {
    struct connection *c = paced[at];
    if (c->due <= now) {
      send_all(c->fd, chunks[c->next], (size_t)chunk_lengths[c->next]);
      c->due += PACE_NS;
      if (++c->next == EVENTS) {
        send_all(c->fd, chunks[EVENTS], (size_t)chunk_lengths[EVENTS]);
        leave(c);
        continue;
      }
    }
    if (c->due < soonest) soonest = c->due;
  }
  if (paced_count > 0) fire_at(ticker, soonest);
}

static void receive(struct connection *c) {
  static char piece[PIECE];
  const ssize_t length = recv(c->fd, piece, sizeof piece, 0);
  if (length < 0 && errno == EAGAIN) return;
  if (length <= 0) return drop(c);
  int done;
  take(&c->request, piece, length, &done);
  if (!c->mode) c->mode = mode_of(piece, length);
  if (done) answer(c);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  unlimit();
  fill();
  const int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  const struct sockaddr_in here = loopback(atoi(argv[1]));
  if (bind(listener, (const struct sockaddr *)&here, sizeof here) < 0) die("bind");
  if (listen(listener, 4096) < 0) die("listen");
  fcntl(listener, F_SETFL, O_NONBLOCK);
  const int poller = epoll_create1(0);
  ticker = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  watch(poller, listener, NULL);
  watch(poller, ticker, &ticker);
  struct epoll_event events[256];
  for (;;) {
    const int count = epoll_wait(poller, events, 256, -1);
    for (int at = 0; at < count; at++) {
      if (events[at].data.ptr == &ticker) {
        uint64_t fired;
        if (read(ticker, &fired, sizeof fired) > 0) tick();
      } else if (events[at].data.ptr == NULL) {
        int fd;
        while ((fd = accept(listener, NULL, NULL)) >= 0) {
          set_fast(fd);
          struct connection *c = calloc(1, sizeof *c);
          c->fd = fd;
          c->paced_at = -1;
          begin(&c->request);
          watch(poller, fd, c);
        }
      } else receive(events[at].data.ptr);
    }
  }
}
