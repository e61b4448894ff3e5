import { oneLine } from './one-line.ts'
import { clip, widthOf } from './width.ts'

/** What svcctl exits with. */
export const exitCodes = { fine: 0, bad: 1, usage: 2, unreachable: 3, signIn: 4, unwritten: 5, changes: 10 } as const

/** A command that could not do what it was asked; the message is for the operator. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.bad) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Rows as aligned columns, none of which is cut: names and values, or a matrix. No cell leaves its line. */
export function table(rows: readonly (readonly string[])[]): string {
  const cells = rows.map(row => row.map(oneLine))
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map(row => widthOf(row[column] ?? ''))))
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => clip(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return cells.map(line).join('\n')
}

/** Whether to colour what goes to this stream. https://no-color.org */
export const usesColour = (stream: { readonly isTTY?: boolean }): boolean =>
  process.env.FORCE_COLOR ? true : stream.isTTY === true && !process.env.NO_COLOR
