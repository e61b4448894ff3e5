// A client that costs little beside what it measures. Prints one line of JSON, or with --idle one once all are open.
//   load --ports 8080[,8081] --request FILE --connections 64 (--seconds 3 | --requests 1000) [--warmup 0.5] [--rate 300]
//   load --ports 8080 --request FILE --connections 10000 --idle --rate 1000     until stdin ends
// Without --rate each connection asks again as soon as it was answered; they begin within --spread seconds. With it
// requests are due at that rate, and one that found no free connection counts from when it was due.
#include "net.h"

#define MAX_REQUEST (16 << 20)

struct connection {
  int fd, port, busy, spoke;
  struct message reply;
  uint64_t asked, first;
};

struct times {
  uint32_t *all;
  size_t count, room;
};

static struct connection *connections, **idle;
static int connection_count, idle_count, ports[16], port_count, poller, holds;
static char *request;
static size_t request_length;
static long asked, answered, failed, reopened, opened, most_asked = -1;
static struct times whole, first;
static uint64_t counts_from, ends_at;
static char complaint[256];

/** In units of 100 ns. */
static void note(struct times *t, uint64_t ns) {
  if (t->count == t->room) {
    t->room = t->room ? 2 * t->room : 65536;
    t->all = realloc(t->all, t->room * sizeof *t->all);
  }
  t->all[t->count++] = (uint32_t)(ns / 100);
}

static int by_size(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static void print_times(const char *name, struct times *t) {
  qsort(t->all, t->count, sizeof *t->all, by_size);
  const double shares[] = {0.5, 0.9, 0.99, 0.999};
  const char *names[] = {"p50", "p90", "p99", "p999"};
  printf(",\"%s\":{", name);
  for (int at = 0; at < 4; at++)
    printf("%s\"%s\":%.1f", at ? "," : "", names[at], t->count ? t->all[(size_t)(shares[at] * (double)(t->count - 1))] / 10.0 : 0);
  printf("}");
}

static void connect_to(struct connection *c) {
  c->fd = socket(AF_INET, SOCK_STREAM, 0);
  if (c->fd < 0) die("socket");
  const struct sockaddr_in to = loopback(c->port);
  if (connect(c->fd, (const struct sockaddr *)&to, sizeof to) < 0) die("connect");
  set_fast(c->fd);
  watch(poller, c->fd, c);
  begin(&c->reply);
}

static void again(struct connection *c) {
  reopened++;
  close(c->fd);
  connect_to(c);
}

static void complain(const char *what, struct connection *c) {
  failed++;
  if (complaint[0]) return;
  snprintf(complaint, sizeof complaint, "%s: %.120s", what, c->reply.head_length ? c->reply.head : "");
  for (char *at = complaint; *at; at++)
    if (*at < 32 || *at == '"' || *at == '\\') *at = ' ';
}

static void ask(struct connection *c, uint64_t since) {
  c->busy = 1;
  c->first = 0;
  c->asked = since;
  asked++;
  if (!send_all(c->fd, request, request_length)) again(c), send_all(c->fd, request, request_length);
}

static int may_ask(uint64_t now) {
  return (most_asked < 0 || asked < most_asked) && now < ends_at;
}

/** A whole answer, or a stream that said it is done. */
static void judge(struct connection *c, uint64_t now) {
  const int fine = strncmp(c->reply.head, "HTTP/1.1 200", 12) == 0;
  if (!fine) return complain("refused", c);
  if (strcasestr(c->reply.head, "text/event-stream") && !ends_with(&c->reply, "[DONE]\n\n\r\n0\r\n\r\n") &&
      !memmem(c->reply.tail, (size_t)c->reply.tail_length, "[DONE]", 6))
    return complain("cut", c);
  if (now < counts_from || now > ends_at) return;
  answered++;
  note(&whole, now - c->asked);
  note(&first, c->first - c->asked);
}

static void receive(struct connection *c) {
  static char piece[PIECE];
  const ssize_t length = recv(c->fd, piece, sizeof piece, 0);
  if (length < 0 && errno == EAGAIN) return;
  if (length <= 0) {
    if (c->busy) complain("closed", c), c->busy = 0, idle[idle_count++] = c;
    return again(c);
  }
  int done;
  const uint64_t now = now_ns();
  const long body = take(&c->reply, piece, length, &done);
  if (body > 0 && !c->first) {
    c->first = now;
    if (holds && !c->spoke) c->spoke = 1, opened++;
  }
  if (!done) return;
  // The gateway says that it closes a connection on which nothing was asked.
  if (!c->busy && !holds) return begin(&c->reply), again(c);
  judge(c, now);
  c->busy = 0;
  const int closes = strcasestr(c->reply.head, "\r\nconnection: close") != NULL;
  begin(&c->reply);
  if (closes) again(c);
  idle[idle_count++] = c;
}

/** Every connection asks again at once; the first time, one after the other. */
static void run_closed(uint64_t begun, uint64_t spread) {
  struct epoll_event events[256];
  int started = 0;
  // Waits for the last answers, so that their cost counts.
  while (may_ask(now_ns()) || (idle_count < started && now_ns() < ends_at + 5000000000u)) {
    const uint64_t now = now_ns();
    while (started < connection_count && may_ask(now) && now >= begun + spread * (uint64_t)started / (uint64_t)connection_count) ask(&connections[started++], now);
    const int count = epoll_wait(poller, events, 256, started < connection_count ? 1 : 100);
    for (int at = 0; at < count; at++) receive(events[at].data.ptr);
    while (idle_count > 0 && may_ask(now_ns())) ask(idle[--idle_count], now_ns());
  }
}

/** Even in the long run, but no two streams in step: the events of each come at even intervals, too. */
static uint64_t due_at(uint64_t begun, long nth, double rate) {
  const double golden = (double)nth * 0.6180339887;
  return begun + (uint64_t)(((double)nth + golden - (double)(long)golden) * 1e9 / rate);
}

static void run_at_rate(uint64_t begun, double rate) {
  struct epoll_event events[256];
  const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  watch(poller, timer, &ports);
  for (int at = connection_count - 1; at >= 0; at--) idle[idle_count++] = &connections[at];
  long sent = 0;
  uint64_t due = due_at(begun, sent, rate);
  while (now_ns() < ends_at + 2000000000u) {
    fire_at(timer, due);
    const int count = epoll_wait(poller, events, 256, 100);
    const int waited = idle_count == 0;
    for (int at = 0; at < count; at++) {
      uint64_t fired;
      if (events[at].data.ptr != &ports) receive(events[at].data.ptr);
      else if (read(timer, &fired, sizeof fired) < 0) continue;
    }
    for (uint64_t now = now_ns(); due <= now && idle_count > 0 && due < ends_at; due = due_at(begun, ++sent, rate))
      ask(idle[--idle_count], waited ? due : now_ns());
    if (now_ns() >= ends_at && idle_count == connection_count) return;
  }
}

/** Opens streams at a rate, says so once each has begun, and holds them. */
static void hold(double rate) {
  struct epoll_event events[256];
  const uint64_t begun = now_ns();
  int started = 0, told = 0;
  struct pollfd input = {.fd = 0, .events = POLLIN};
  for (;;) {
    const uint64_t now = now_ns();
    while (started < connection_count && now >= begun + (uint64_t)(started * 1e9 / rate)) {
      connect_to(&connections[started]);
      ask(&connections[started++], now);
    }
    const int count = epoll_wait(poller, events, 256, started < connection_count ? 1 : 100);
    for (int at = 0; at < count; at++) receive(events[at].data.ptr);
    const int all = opened + failed >= connection_count || now > begun + (uint64_t)(connection_count * 1e9 / rate) + 20000000000u;
    if (all && !told) {
      printf("{\"open\":%ld,\"failed\":%ld,\"complaint\":\"%s\"}\n", opened, failed, complaint);
      fflush(stdout);
      told = 1;
    }
    if (told && poll(&input, 1, 0) > 0) return;
  }
}

static void read_request(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) die(path);
  request = malloc(MAX_REQUEST);
  request_length = fread(request, 1, MAX_REQUEST, file);
  if (request_length == MAX_REQUEST) fprintf(stderr, "a request of %d bytes or more\n", MAX_REQUEST), exit(1);
  fclose(file);
}

int main(int argc, char **argv) {
  double seconds = 1e9, warmup = 0, rate = 0, spread = 0;
  for (int at = 1; at < argc; at++) {
    const char *name = argv[at], *value = at + 1 < argc ? argv[at + 1] : "";
    if (!strcmp(name, "--idle")) { holds = 1; continue; }
    if (!strcmp(name, "--ports"))
      for (char *port = strtok(strdup(value), ","); port && port_count < 16; port = strtok(NULL, ",")) ports[port_count++] = atoi(port);
    else if (!strcmp(name, "--request")) read_request(value);
    else if (!strcmp(name, "--connections")) connection_count = atoi(value);
    else if (!strcmp(name, "--seconds")) seconds = atof(value);
    else if (!strcmp(name, "--requests")) most_asked = atol(value);
    else if (!strcmp(name, "--warmup")) warmup = atof(value);
    else if (!strcmp(name, "--rate")) rate = atof(value);
    else if (!strcmp(name, "--spread")) spread = atof(value);
    else return fprintf(stderr, "unknown: %s\n", name), 2;
    at++;
  }
  if (!port_count || !request || connection_count < 1) return fprintf(stderr, "--ports, --request and --connections are needed\n"), 2;
  unlimit();
  poller = epoll_create1(0);
  connections = calloc((size_t)connection_count, sizeof *connections);
  idle = calloc((size_t)connection_count + 1, sizeof *idle);
  for (int at = 0; at < connection_count; at++) connections[at].port = ports[at % port_count];
  if (holds) return hold(rate > 0 ? rate : 1000), 0;
  for (int at = 0; at < connection_count; at++) connect_to(&connections[at]);
  const uint64_t begun = now_ns();
  counts_from = begun + (uint64_t)(warmup * 1e9);
  ends_at = counts_from + (uint64_t)(seconds * 1e9);
  if (rate > 0) run_at_rate(begun, rate);
  else run_closed(begun, (uint64_t)(spread * 1e9));
  const uint64_t over = now_ns() < ends_at ? now_ns() : ends_at;
  printf("{\"asked\":%ld,\"answered\":%ld,\"failed\":%ld,\"reopened\":%ld,\"seconds\":%.3f", asked, answered, failed, reopened, (double)(over - counts_from) / 1e9);
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  printf(",\"cpu\":%ld", (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000L + used.ru_utime.tv_usec + used.ru_stime.tv_usec);
  print_times("latency", &whole);
  print_times("first", &first);
  printf(",\"complaint\":\"%s\"}\n", complaint);
  return 0;
}
