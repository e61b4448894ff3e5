import { expect, it } from 'vitest'
import { isScriptError } from '../../../../src/adapters/redis/client.ts'

it.each([
  "ERR The user executing the script can't run this command or subcommand script: 1a, on @user_script:1.",
  "ERR ACL failure in script: User gateway has no permissions to run the 'zadd' command script: 1a, on @user_script:1.",
  'ERR max number of clients reached',
  'ERR Error running script (call to f_1a): @user_script:1: -READONLY cannot write against a read only replica',
  'OOM command not allowed',
])('a repetition may meet what was said by %j no more', said => {
  expect(isScriptError(new Error(said))).toBe(false)
})

it.each([
  'ERR value is not a valid float script: 1a, on @user_script:1.',
  'WRONGTYPE Operation against a key holding the wrong kind of value',
])('a repetition would meet again what was said by %j', said => {
  expect(isScriptError(new Error(said))).toBe(true)
})
