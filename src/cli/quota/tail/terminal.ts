// The only module that loads ink, which costs a quarter of a second: for live views alone.
import { Box, type Key, render, Text, useApp, useInput, useStdout } from 'ink'
import { createElement, type ReactElement, useEffect, useReducer } from 'react'
import type { Millis } from '../../../policy/config.ts'
import { usesColour } from '../../../server/log/terminal-text.ts'
import { withCursor } from '../../kit/printed.ts'
import type { Tone } from '../../requests/run.ts'
import type { Line } from './lines.ts'
import type { TailModel } from './model.ts'
import type { Press } from './ui.ts'

/** Draws the model on the terminal, on a screen of its own, until its operator has had enough or the signal comes. */
export const showTail = (model: TailModel, signal: AbortSignal): Promise<void> =>
  withCursor(() => drawTail(model, signal))

async function drawTail(model: TailModel, signal: AbortSignal): Promise<void> {
  // Restores the terminal, however the process ends.
  const restore = () => void process.stdout.write(LEAVE_SCREEN + SHOW_CURSOR)
  process.once('exit', restore)
  process.stdout.write(ENTER_SCREEN)
  const view = render(createElement(Tail, { model, colours: usesColour(process.stdout) }), { maxFps: 1000 / FRAME })
  let { columns } = process.stdout
  // A narrower window wraps lines, and ink counts each as one.
  const clear = () => {
    if (process.stdout.columns < columns) process.stdout.write(CLEAR)
    columns = process.stdout.columns
  }
  process.stdout.prependListener('resize', clear)
  const leave = () => view.unmount()
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave)
  try {
    await view.waitUntilExit()
  } finally {
    view.unmount()
    process.off('exit', restore)
    process.stdout.off('resize', clear)
    restore()
  }
}

const FRAME: Millis = 100
const ENTER_SCREEN = '\u001B[?1049h\u001B[H'
const LEAVE_SCREEN = '\u001B[?1049l'
const SHOW_CURSOR = '\u001B[?25h'
const CLEAR = '\u001B[2J\u001B[H'

function Tail({ model, colours }: { readonly model: TailModel; readonly colours: boolean }): ReactElement {
  const { exit } = useApp()
  const { stdout } = useStdout()
  const [, draw] = useReducer((frames: number) => frames + 1, 0)
  useInput((input, key) => {
    if (pressesOf(input, key).some(press => model.press(press))) exit()
    else draw()
  })
  useEffect(() => {
    let drawn = model.version
    const timer = setInterval(() => {
      if (model.version === drawn) return
      drawn = model.version
      draw()
    }, FRAME)
    stdout.on('resize', draw)
    return () => {
      clearInterval(timer)
      stdout.off('resize', draw)
    }
  }, [model, stdout])
  const lines = model.frame({ columns: stdout.columns, rows: stdout.rows })
  return createElement(
    Box,
    { flexDirection: 'column' },
    ...lines.map((line, index) =>
      createElement(Text, { key: index, wrap: 'truncate', ...lookOf(line, colours) }, ...partsOf(line, colours)),
    ),
  )
}

/** A line with its marked part in a separate colour. */
function partsOf({ text, marked }: Line, colours: boolean): readonly (string | ReactElement)[] {
  if (!colours || !marked) return [text || ' ']
  const { from, to, tone } = marked
  return [
    text.slice(0, from),
    createElement(Text, { key: 'marked', ...MARKS[tone] }, text.slice(from, to)),
    text.slice(to),
  ]
}

/** Both can be read on black and on white. */
const MARKS: Readonly<Record<Tone, { readonly color: string }>> = {
  failed: { color: 'red' },
  refused: { color: 'magenta' },
}

function lookOf({ tone }: Line, colours: boolean): { bold?: true; dimColor?: true; inverse?: true } {
  if (!colours || tone === undefined) return {}
  const looks = {
    bold: { bold: true },
    dim: { dimColor: true },
    selected: { inverse: true },
  } as const
  return looks[tone]
}

const NAMED: readonly (readonly [keyof Key, Press])[] = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['pageUp', 'pageUp'],
  ['pageDown', 'pageDown'],
  ['return', 'enter'],
  ['escape', 'escape'],
  ['backspace', 'backspace'],
  // The backspace key of most terminals sends it.
  ['delete', 'backspace'],
]

/** The keys typed since the last time, which may come all at once. */
function pressesOf(input: string, key: Key): readonly Press[] {
  const named = NAMED.find(([name]) => key[name])
  if (named) return [named[1]]
  if (key.ctrl || key.meta || key.tab) return []
  return Array.from(input, (typed): Press => (typed === '\r' || typed === '\n' ? 'enter' : { typed }))
}
