import type { ShownPoint } from '../../../../src/wire/admin/series.ts'
import { stamp, time } from '../../shared/fmt.ts'
import * as text from '../texts/outlook.tsx'

interface Line {
  readonly name: string
  /** A class of its colour. */
  readonly tone: string
  /** Null where there was nothing to measure. */
  readonly of: (point: ShownPoint) => number | null
}

interface ChartProps {
  readonly title: string
  /** The figure for the whole time, beside the title. */
  readonly headline: string
  readonly points: readonly ShownPoint[]
  readonly lines: readonly Line[]
  readonly amount: (value: number) => string
  /** Why nothing is drawn, where nothing is. */
  readonly blank: string
  /** Each line stands on the one before it. */
  readonly isStacked?: boolean
  /** The point under the pointer, in this chart or in another one. */
  readonly pointed: number | undefined
  readonly point: (index: number | undefined) => void
}

/** Lines over time, or areas that add up. The legend shows the values under the pointer. */
export function Chart(props: ChartProps) {
  const { title, headline, points, lines, amount, blank, isStacked = false, pointed, point } = props
  const values = lines.map(({ of }) => points.map(of))
  const tops = isStacked ? sumsOf(values) : values
  const most = Math.max(0, ...tops.flat().map(value => value ?? 0))
  const top = most > 0 ? most * HEADROOM : 1
  const shown = pointed === undefined ? undefined : points[pointed]
  const move = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = (currentTarget as Element).getBoundingClientRect()
    const index = Math.floor(((clientX - left) / width) * points.length)
    point(Math.min(Math.max(index, 0), points.length - 1))
  }
  const x = (index: number) => ((index + 0.5) / points.length) * WIDTH
  const y = (value: number) => HEIGHT * (1 - value / top)
  return (
    <figure class="chart box">
      <figcaption>
        <span class="split">
          <b>{title}</b> <span class="muted">{shown ? stamp(shown.at) : headline}</span>
        </span>
        <span class="row legend">
          {lines.map(({ name, tone }, at) => {
            const value = values[at]?.[pointed ?? -1]
            return (
              <span key={name} class={tone}>
                <span>{name}</span>
                {shown && <b>{value === null || value === undefined ? text.noValue : amount(value)}</b>}
              </span>
            )
          })}
        </span>
      </figcaption>
      <div>
        <span class="chart-top">{most > 0 ? amount(most) : blank}</span>
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={text.chartLabel(title, headline)}
          onPointerMove={move}
          onPointerLeave={() => point(undefined)}
        >
          {isStacked
            ? lines.map(({ name, tone }, at) => (
                <path key={name} class={`area ${tone}`} d={areaOf(tops[at - 1], tops[at] ?? [], x, y)} />
              ))
            : lines.map(({ name, tone }, at) => (
                <path key={name} class={`line ${tone}`} d={lineOf(tops[at] ?? [], x, y)} />
              ))}
          {pointed !== undefined && <line class="pointer" x1={x(pointed)} x2={x(pointed)} y1={0} y2={HEIGHT} />}
        </svg>
        <Times points={points} />
      </div>
    </figure>
  )
}

/** The first, the middle and the last time of the points. */
const Times = ({ points }: Pick<ChartProps, 'points'>) => (
  <span class="chart-times" aria-hidden="true">
    {[0, 0.5, 1].map(share => {
      const at = points[Math.round(share * (points.length - 1))]?.at
      return at && <span key={share}>{share < 1 ? time(at) : text.utc(time(at))}</span>
    })}
  </span>
)

type Values = readonly (number | null)[]
type Scale = (value: number) => number

/** Stacks the lines: each value is the sum of its line and of those below it. */
function sumsOf(values: readonly Values[]): readonly Values[] {
  const sums: number[] = []
  return values.map(line =>
    line.map((value, index) => {
      sums[index] = (sums[index] ?? 0) + Math.max(0, value ?? 0)
      return sums[index] ?? 0
    }),
  )
}

/** Points without a value leave a gap; a lone one is a dash as wide as its step. */
function lineOf(values: Values, x: Scale, y: Scale): string {
  return values
    .map((value, index) => {
      if (value === null) return ''
      const isFirst = (values[index - 1] ?? null) === null
      const isLone = isFirst && (values[index + 1] ?? null) === null
      const place = (at: number) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`
      if (isLone) return `M${place(index - 0.5)}L${place(index + 0.5)}`
      return (isFirst ? 'M' : 'L') + place(index)
    })
    .join('')
}

function areaOf(below: Values | undefined, above: Values, x: Scale, y: Scale): string {
  if (above.length === 0) return ''
  const side = (values: Values | undefined, index: number) =>
    `${x(index).toFixed(1)},${y(values?.[index] ?? 0).toFixed(1)}`
  const there = above.map((_, index) => side(above, index))
  const back = above.map((_, index) => side(below, index)).reverse()
  return `M${[...there, ...back].join('L')}Z`
}

const WIDTH = 600
const HEIGHT = 80
/** So that the highest point is not on the edge. */
const HEADROOM = 1.08
