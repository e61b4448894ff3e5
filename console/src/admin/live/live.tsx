import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useFind } from '../../shared/find.tsx'
import { Link } from '../../shared/frame/link.tsx'
import { navigate } from '../../shared/frame/router.ts'
import { Lazy } from '../../shared/lazy.tsx'
import { Empty, Header } from '../../shared/states.tsx'
import { Origin } from '../command.tsx'
import { useGateway } from '../gateway-choice.tsx'
import { usePause } from '../pause.tsx'
import * as text from '../texts/live.tsx'
import { arrange, Board, type Row, SORTS, type Sort } from './board.ts'
import { stay } from './connection.ts'
import { LiveTable } from './live-table.ts'
import { paceText } from './pace.ts'

/** The accounts' current usage, updated as requests end, like `svcctl quota tail`. */
export function Live() {
  const { chosen, field: gateways, isFleet, option } = useGateway()
  const { field, word } = useFind(text.findAnAccount)
  const { isPaused, button } = usePause()
  const [sort, setSort] = useState<Sort>('share')
  const [problem, setProblem] = useState<string>()
  const place = useRef<HTMLDivElement>(null)
  const pace = useRef<HTMLParagraphElement>(null)
  const none = useRef<HTMLDivElement>(null)
  const view = useMemo(() => new View(chosen), [chosen])
  useEffect(() => view.open({ place: place.current, pace: pace.current, none: none.current }, setProblem), [view])
  useEffect(() => view.arrange(sort, word, isPaused), [view, sort, word, isPaused])
  return (
    <>
      <Header title={text.live}>{text.whatLiveShows}</Header>
      <Lazy load={async () => (await import('./outlook.tsx')).Outlook} />
      {problem !== undefined && (
        <p class="note" role="alert">
          {problem}
        </p>
      )}
      <section class="stack">
        <div class="split">
          <div>
            <h2>{text.accounts}</h2>
            <p class="muted">{isFleet ? text.requestsOfAll : text.requestsOfThisOne}</p>
          </div>
          <div class="row controls">
            {field}
            {gateways}
            <select aria-label={text.sort} value={sort} onChange={event => setSort(event.currentTarget.value as Sort)}>
              {Object.entries(SORTS).map(([name, title]) => (
                <option key={name} value={name}>
                  {title}
                </option>
              ))}
            </select>
            {button}
          </div>
        </div>
        <p ref={pace} class="pace" />
        <div ref={place} class="live-place" />
        <div ref={none} hidden>
          <Empty fact={text.noAccount}>
            <p class="muted">
              {text.openOne(words => (
                <Link to="accounts">{words}</Link>
              ))}
            </p>
          </Empty>
        </div>
      </section>
      <Origin command={`svcctl quota tail${option}`} />
    </>
  )
}

/** Draws the table outside the components: at most twenty times a second, and only changed cells. */
class View {
  readonly #board: Board
  readonly #table = new LiveTable(account => navigate('accounts', { id: account }))
  #sort: Sort = 'share'
  #word = ''
  /** The rows at the moment of the pause. */
  #paused: ReadonlyMap<string, Row> | undefined
  #arrangedAt = 0
  /** The board versions that were last sorted and drawn; -1 forces both anew. */
  #arranged = -1
  #drawn = -1
  #drawnAt = 0
  #order: readonly string[] = []
  /** Whether the line about the pace was written since the first drawing. */
  #isPaced = false

  constructor(gateway: string) {
    this.#board = new Board(gateway)
  }

  /** Starts drawing. Call the returned function to stop. */
  open({ place, pace, none }: Places, say: (problem: string | undefined) => void): () => void {
    place?.append(this.#table.element)
    const leave = stay(this.#board, say)
    let frame = requestAnimationFrame(() => {})
    let pacedAt = -1
    const draw = (now: number) => {
      frame = requestAnimationFrame(draw)
      this.#draw(now)
      if ((now - pacedAt < SECOND_MS && this.#isPaced) || !pace) return
      pacedAt = now
      this.#isPaced = this.#drawn > 0
      pace.textContent = paceText(this.#board)
      const isEmpty = this.#board.isListed && this.#board.rows.size === 0
      if (none) none.hidden = !isEmpty
      this.#table.element.hidden = isEmpty
    }
    frame = requestAnimationFrame(draw)
    return () => {
      cancelAnimationFrame(frame)
      leave()
      this.#table.element.remove()
    }
  }

  arrange(sort: Sort, word: string, isPaused: boolean): void {
    this.#sort = sort
    this.#word = word
    this.#paused = isPaused ? (this.#paused ?? new Map(this.#board.rows)) : undefined
    this.#arranged = -1
    this.#drawn = -1
  }

  #draw(now: number): void {
    const { rows } = this.#board
    const version = this.#paused ? 0 : this.#board.version
    const isEmpty = this.#order.length === 0
    const isDue = this.#arranged !== version && now - this.#arrangedAt >= (isEmpty ? FIRST_MS : SECOND_MS)
    if (version === this.#drawn && !isDue) return
    // Nobody reads faster. The table itself draws rows that scroll into view.
    if (this.#drawn !== -1 && now - this.#drawnAt < DRAWN_EVERY_MS) return
    this.#drawnAt = now
    // No row moves while the pointer is over the table.
    if (this.#arranged === -1 || (isDue && (isEmpty || !this.#table.element.matches(':hover, :focus')))) {
      this.#arrangedAt = now
      this.#arranged = version
      this.#order = arrange((this.#paused ?? rows).values(), this.#sort, this.#word).map(
        ({ standing }) => standing.account,
      )
    }
    const shown = this.#paused ?? rows
    this.#table.show(this.#order, account => shown.get(account))
    this.#table.draw()
    this.#drawn = version
  }
}

/** The elements that this view updates without components. */
interface Places {
  readonly place: HTMLElement | null
  readonly pace: HTMLElement | null
  /** Shown instead of an empty table. */
  readonly none: HTMLElement | null
}

const SECOND_MS = 1000
const FIRST_MS = 50
const DRAWN_EVERY_MS = 50
