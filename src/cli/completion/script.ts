import type { Command } from 'commander'
import { bash } from './bash.ts'
import { fish } from './fish.ts'
import { placesOf } from './places.ts'
import { zsh } from './zsh.ts'

const SCRIPTS = { bash, zsh, fish }

/** A script that completes a program in a shell. */
export const completionScript = (program: Command, shell: keyof typeof SCRIPTS): string =>
  SCRIPTS[shell](placesOf(program))
