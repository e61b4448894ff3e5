import { useRef } from 'preact/hooks'

interface TabsProps {
  readonly label: string
  readonly names: readonly string[]
  readonly chosen: string
  /** The id of the panel that they switch. */
  readonly panel: string
  readonly onChoose: (name: string) => void
}

/** Tabs that arrows move between. */
export function Tabs({ label, names, chosen, panel, onChoose }: TabsProps) {
  const list = useRef<HTMLDivElement>(null)
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const at = (names.indexOf(chosen) + step + names.length) % names.length
    onChoose(names[at] ?? chosen)
    list.current?.querySelectorAll('button')[at]?.focus()
  }
  return (
    <div class="tabs" role="tablist" aria-label={label} ref={list} tabIndex={-1} onKeyDown={move}>
      {names.map(name => (
        <button
          key={name}
          type="button"
          role="tab"
          aria-selected={name === chosen}
          aria-controls={panel}
          tabIndex={name === chosen ? 0 : -1}
          onClick={() => onChoose(name)}
        >
          {name}
        </button>
      ))}
    </div>
  )
}
