interface MeterProps {
  readonly label: string
  readonly used: number
  /** Reserved: the lighter piece behind what is used. */
  readonly held: number
  readonly most: number
  /** The amount in words. */
  readonly text: string
}

/** How much of something is used. From 80 % on it warns, and from all on it is full. */
export function Meter({ label, used, held, most, text }: MeterProps) {
  const share = (part: number) => Math.max(0, Math.min(100, most > 0 ? (100 * part) / most : 100))
  const filled = share(used + held)
  const state = filled >= 100 ? 'full' : filled >= WARNS ? 'warn' : ''
  return (
    // biome-ignore lint/a11y/useSemanticElements: an element `meter` has one piece, and this one has two
    <div
      class={`meter ${state}`}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={most}
      aria-valuenow={Math.min(used + held, most)}
      aria-valuetext={text}
    >
      <i style={{ width: `${share(used)}%` }} />
      {held > 0 && <i style={{ width: `${share(used + held) - share(used)}%` }} />}
    </div>
  )
}

const WARNS = 80
