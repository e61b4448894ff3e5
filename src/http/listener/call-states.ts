/**
 * The states of a call: what became of its client, and what was sent to it. An event of one table changes nothing in the
 * other.
 *
 *   client   interrupt  destroy  lose      serve
 *   waiting  cut (*)    dropped  left *    served
 *   dropped  cut (*)    dropped  broken *  served
 *   cut      cut *      cut      shut *    shut
 *   served, left, broken and shut are final: nothing more can be sent, and no event changes them
 *
 *   answer     head    events  pass       finish   switch
 *   none       headed  opened  !          !        switched
 *   headed     !       !       passing    written  !
 *   opened     !       !       streaming  !        !
 *   passing    !       !       passing    !        !
 *   streaming  !       !       streaming  !        !
 *   written    !       !       !          !        !
 *   switched   !       !       !          !        !
 *
 * The gateway may `interrupt` to shut down, or `destroy` an answer that it cannot complete; a connection closes with all
 * of the answer (`serve`) or before that (`lose`). At `*` the callbacks of `onGone` run; at `(*)` only where
 * something of an answer was passed on: one that has not begun is left to fail with its backend, so that it costs its
 * client nothing. An answer begins with a head, that of a stream of events or another; `pass` is the first of its content, and
 * `finish` all of it, while the connection stays open for a moment. With `switch` the connection is a WebSocket, which either
 * side may end: then it was served. `!` throws: only an error of ours leads there.
 */
export const CLIENT: Readonly<Partial<Record<ClientState, Readonly<Record<ClientEvent, ClientState>>>>> = {
  waiting: { interrupt: 'cut', destroy: 'dropped', lose: 'left', serve: 'served' },
  dropped: { interrupt: 'cut', destroy: 'dropped', lose: 'broken', serve: 'served' },
  cut: { interrupt: 'cut', destroy: 'cut', lose: 'shut', serve: 'shut' },
}

export type ClientState = 'waiting' | 'dropped' | 'cut' | 'served' | 'left' | 'broken' | 'shut'
export type ClientEvent = 'interrupt' | 'destroy' | 'lose' | 'serve'

export const FINAL: ReadonlySet<ClientState> = new Set(['served', 'left', 'broken', 'shut'] as const)
/** The others still wait for an answer, or have it. */
export const GONE: ReadonlySet<ClientState> = new Set(['cut', 'left', 'broken', 'shut'] as const)

/** Any transition that is missing here is a bug of the gateway. */
export const ANSWER: Readonly<Partial<Record<AnswerState, Readonly<Partial<Record<AnswerEvent, AnswerState>>>>>> = {
  none: { head: 'headed', events: 'opened', switch: 'switched' },
  headed: { pass: 'passing', finish: 'written' },
  opened: { pass: 'streaming' },
  passing: { pass: 'passing' },
  streaming: { pass: 'streaming' },
}

export type AnswerState = 'none' | 'headed' | 'opened' | 'passing' | 'streaming' | 'written' | 'switched'
export type AnswerEvent = 'head' | 'events' | 'pass' | 'finish' | 'switch'

/** Something of the answer was passed on. */
export const HEARD: ReadonlySet<AnswerState> = new Set(['passing', 'streaming', 'switched'] as const)
