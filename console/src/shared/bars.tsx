import { useEffect, useRef, useState } from 'preact/hooks'
import { day, moment, shortDay, time } from './fmt.ts'

export interface Bar {
  /** `2026-11-22`, UTC, or an hour: `2026-11-22T14:00Z`. */
  readonly at: string
  /** Values in the order of the series' names. */
  readonly parts: readonly number[]
}

interface BarsProps {
  readonly label: string
  readonly series: readonly string[]
  readonly bars: readonly Bar[]
  readonly amount: (value: number) => string
  /** The least top of a scale, for small amounts alone: 2, where they are whole. */
  readonly least?: number
}

/** Stacked bars of days or hours. The same numbers stand in a table beside it, for who cannot see them. */
export function Bars({ label, series, bars, amount, least = 0 }: BarsProps) {
  const [width, setWidth] = useState(WIDTH)
  const [pointed, point] = useState<number>()
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width))
    if (place.current) observer.observe(place.current)
    return () => observer.disconnect()
  }, [])
  const top = roundTop(Math.max(least, ...bars.map(sumOf)))
  const scale = [1, 0.5, 0].map(share => ({ share, words: amount(top * share) }))
  const left = Math.max(LEAST_LEFT, LETTER_WIDTH * Math.max(...scale.map(({ words }) => words.length)) + GAP)
  const step = Math.max(1, width - left) / bars.length
  const every = Math.ceil(DAY_WIDTH / step)
  const shown = pointed === undefined ? undefined : bars[pointed]
  return (
    <div class="box pad">
      <ul class="row legend">
        {series.map((name, at) => (
          <li key={name} class={`series-${at + 1}`}>
            <bdi>{name}</bdi>
          </li>
        ))}
      </ul>
      <div class="plot" ref={place} onPointerLeave={() => point(undefined)}>
        <svg class="bars" viewBox={`0 0 ${width} ${HEIGHT + ABOVE + BELOW}`} role="img" aria-label={label}>
          {scale.map(({ share, words }) => (
            <g key={share}>
              <line x1={left} x2={width} y1={yOf(share)} y2={yOf(share)} />
              <text x={left - GAP} y={yOf(share) + 4} text-anchor="end">
                {words}
              </text>
            </g>
          ))}
          {bars.map((bar, at) => (
            <g key={bar.at} onPointerEnter={() => point(at)} class={at === pointed ? 'pointed' : ''}>
              <rect class="ground" x={left + at * step} width={step} y={ABOVE} height={HEIGHT} />
              {stacked(bar, top).map(({ y, height, part }) => (
                <rect
                  key={part}
                  class={`series-${part + 1}`}
                  x={left + (at + 0.13) * step}
                  width={step * 0.74}
                  y={y}
                  height={height}
                />
              ))}
              {left + (at + 0.5) * step + DAY_WIDTH / 2 <= width && (
                <text x={left + (at + 0.5) * step} y={ABOVE + HEIGHT + 18} text-anchor="middle">
                  {markOf(bar, at, every)}
                </text>
              )}
            </g>
          ))}
        </svg>
        {shown && pointed !== undefined && (
          <div
            class={`tip ${pointed > bars.length / 2 ? 'before' : ''}`}
            aria-hidden="true"
            style={{ insetInlineStart: `${left + (pointed + 0.5) * step}px` }}
          >
            <b>{isHour(shown) ? moment(shown.at) : day(shown.at)}</b>
            {shown.parts.map((value, part) =>
              value > 0 ? (
                <p key={series[part]} class={`split series-${part + 1}`}>
                  <bdi>{series[part]}</bdi> <span>{amount(value)}</span>
                </p>
              ) : null,
            )}
            <p class="split">
              <span /> <b>{amount(sumOf(shown))}</b>
            </p>
          </div>
        )}
      </div>
    </div>
  )
}

/** Before it is known how much room there is. */
const WIDTH = 880
const HEIGHT = 160
/** For the amounts, of which small ones are long; the topmost of them, and the days. */
const LEAST_LEFT = 64
const LETTER_WIDTH = 7
const GAP = 8
const ABOVE = 8
const BELOW = 24
/** The width of a day's text; an hour's is narrower. */
const DAY_WIDTH = 56

const isHour = ({ at }: Bar): boolean => at.includes('T')

/** The mark below a bar: every so many days, or hours that a clock has in equal steps. */
function markOf(bar: Bar, index: number, every: number): string {
  if (!isHour(bar)) return index % every === 0 ? shortDay(bar.at) : ''
  const hour = new Date(bar.at).getUTCHours()
  if (hour % (HOUR_STEPS.find(each => each >= every) ?? 24) !== 0) return ''
  return hour === 0 ? shortDay(bar.at) : time(bar.at)
}

const HOUR_STEPS = [1, 2, 3, 4, 6, 8, 12]

const yOf = (share: number): number => ABOVE + HEIGHT * (1 - share)

const sumOf = ({ parts }: Bar): number => parts.reduce((sum, part) => sum + part, 0)

/** A round number that is not less, and whose half is one too. */
function roundTop(most: number): number {
  if (most <= 0) return 1
  const unit = 10 ** Math.floor(Math.log10(most))
  return unit * ([1, 2, 4, 5, 6, 8].find(each => each * unit >= most) ?? 10)
}

/** From the ground up; parts of nothing are left out. */
function stacked({ parts }: Bar, top: number) {
  let below = 0
  return parts.flatMap((value, part) => {
    const height = (HEIGHT * value) / top
    below += height
    return value > 0 ? [{ part, y: ABOVE + HEIGHT - below, height }] : []
  })
}
