import type { EpochMs } from '../../../policy/config.ts'
import type { ShownEvent } from '../../../wire/admin/event.ts'
import { arrange, Board, type Row } from './board.ts'
import { type Line, type Size, screenLines } from './lines.ts'
import { type Effect, FIRST, type Press, press, selectedOf, type Ui } from './ui.ts'

export interface TailPorts {
  /** Where the gateway is. */
  readonly gateway: string
  readonly now: () => EpochMs
  /** Ends the account's key. Resolves with what to say of it; rejects with an error that says why not. */
  readonly revoke: (account: string) => Promise<string>
}

/** All of the live view but the terminal: events and keys in, lines out. */
export class TailModel {
  readonly #ports: TailPorts
  readonly #board = new Board()
  #ui: Ui = FIRST
  #notice = ''
  /** Arranged as of this; rows are only arranged again when something else is to be seen. */
  #arranged: { readonly rows: readonly Row[]; readonly key: string } = { rows: [], key: '' }
  #changes = 0
  /** All rows as they were when it was paused. */
  #paused: readonly Row[] | undefined

  constructor(ports: TailPorts) {
    this.#ports = ports
  }

  /** Another text means that another frame is to be drawn. The pace changes with the time alone. */
  get version(): string {
    const seen = this.#paused ? 'paused' : this.#board.version
    return `${seen} ${this.#changes} ${Math.floor(this.#ports.now() / 1000)}`
  }

  apply(event: ShownEvent): void {
    this.#board.apply(event, this.#ports.now())
  }

  /** True when the operator has had enough. */
  press(key: Press): boolean {
    const { ui, effect } = press(this.#ui, key, this.#accounts())
    this.#ui = ui
    this.#paused = ui.paused ? (this.#paused ?? [...this.#board.rows]) : undefined
    this.#notice = ''
    this.#changes++
    if (effect?.kind === 'revoke') this.#revoke(effect)
    return effect?.kind === 'quit'
  }

  frame(size: Size): Line[] {
    const rows = this.#rows()
    const selected = this.#selected()
    return screenLines(
      {
        gateway: this.#ports.gateway,
        ui: this.#ui,
        rows,
        selected,
        requests: this.#ui.mode === 'requests' && selected !== undefined ? this.#board.requestsOf(selected) : [],
        accounts: this.#board.size,
        ...this.#board.pace(this.#ports.now()),
        dropped: this.#board.dropped,
        unfollowed: this.#board.unfollowed,
        notice: this.#notice,
      },
      size,
    )
  }

  #rows(): readonly Row[] {
    const { sort, filter } = this.#ui
    const key = `${this.#paused ? 'paused' : this.#board.version} ${sort} ${filter}`
    if (this.#arranged.key !== key) this.#arranged = { rows: arrange(this.#paused ?? this.#board.rows, this.#ui), key }
    return this.#arranged.rows
  }

  #accounts(): string[] {
    return this.#rows().map(({ standing }) => standing.account)
  }

  #selected(): string | undefined {
    return selectedOf(this.#ui, this.#accounts())
  }

  #revoke({ account }: Extract<Effect, { kind: 'revoke' }>): void {
    const say = (notice: string) => {
      this.#notice = notice
      this.#changes++
    }
    this.#ports.revoke(account).then(
      said => say(`✓ ${said}`),
      (error: unknown) => say(error instanceof Error ? error.message : String(error)),
    )
  }
}
