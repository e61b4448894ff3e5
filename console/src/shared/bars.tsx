import { day, shortDay } from './fmt.ts'

export interface Bar {
  /** `2026-11-22`, UTC. */
  readonly day: string
  /** By the names of the series, in their order. */
  readonly parts: readonly number[]
}

interface BarsProps {
  readonly label: string
  readonly series: readonly string[]
  readonly bars: readonly Bar[]
  readonly amount: (value: number) => string
}

/** Stacked bars of days. The same numbers stand in a table beside it, for who cannot see them. */
export function Bars({ label, series, bars, amount }: BarsProps) {
  const most = Math.max(...bars.map(sumOf), Number.MIN_VALUE)
  const step = WIDTH / bars.length
  const lines = [1, 0.5, 0].map(share => ({ y: HEIGHT * (1 - share), text: amount(most * share) }))
  return (
    <div class="box pad">
      <ul class="row legend">
        {series.map((name, at) => (
          <li key={name} class={`series-${at + 1}`}>
            <bdi>{name}</bdi>
          </li>
        ))}
      </ul>
      <svg class="bars" viewBox={`-64 -8 ${WIDTH + 72} ${HEIGHT + 32}`} role="img" aria-label={label}>
        {lines.map(({ y, text }) => (
          <g key={y}>
            <line x1="0" x2={WIDTH} y1={y} y2={y} />
            <text x="-8" y={y + 4} text-anchor="end">
              {text}
            </text>
          </g>
        ))}
        {bars.map((bar, at) => (
          <g key={bar.day}>
            <title>{`${day(bar.day)}: ${amount(sumOf(bar))}`}</title>
            {stacked(bar, most).map(({ y, height, part }) => (
              <rect
                key={part}
                class={`series-${part + 1}`}
                x={at * step + step * 0.13}
                width={step * 0.74}
                y={y}
                height={height}
              />
            ))}
            {at % 5 === 0 && (
              <text x={(at + 0.5) * step} y={HEIGHT + 18} text-anchor="middle">
                {shortDay(bar.day)}
              </text>
            )}
          </g>
        ))}
      </svg>
    </div>
  )
}

const WIDTH = 800
const HEIGHT = 160

const sumOf = ({ parts }: Bar): number => parts.reduce((sum, part) => sum + part, 0)

/** From the ground up; parts of nothing are left away. */
function stacked({ parts }: Bar, most: number) {
  let below = 0
  return parts.flatMap((value, part) => {
    const height = (HEIGHT * value) / most
    below += height
    return value > 0 ? [{ part, y: HEIGHT - below, height }] : []
  })
}
