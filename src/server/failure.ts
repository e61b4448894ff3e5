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
