import { describe, expect, it } from 'vitest'
import type { Alias, Model } from '../../src/policy/config.ts'
import { aliasNamed } from '../../src/policy/model.ts'

const named = (name: string) => ({ name }) as Model & Alias
const files = (models: readonly string[], aliases: readonly string[]) => ({
  models: new Map(models.map(name => [name, named(name)])),
  aliases: new Map(aliases.map(name => [name, named(name)])),
})
const found = (names: ReturnType<typeof files>, asked: string) => aliasNamed(names, asked)?.name

describe('aliasNamed', () => {
  const all = files(
    ['svc-core', 'claude-own'],
    ['claude-*', 'claude-*-haiku', 'claude-opus-*', 'claude-opus-5', '*/gpt-*', '*'],
  )
  it.each([
    ['claude-opus-5', 'claude-opus-5'],
    ['claude-opus-5-5', 'claude-opus-*'],
    ['claude-sonnet-4-5', 'claude-*'],
    ['claude-', 'claude-*'],
    ['claude-4-haiku', 'claude-*-haiku'],
    ['claude-opus-haiku', 'claude-*-haiku'],
    ['claude', '*'],
    ['anything', '*'],
    ['claude-*', 'claude-*'],
  ])('of %s is %s', (asked, alias) => {
    expect(found(all, asked)).toBe(alias)
  })

  it('of the name of a model is none: a pattern never stands for that', () => {
    expect(found(all, 'claude-own')).toBeUndefined()
    expect(found(all, 'svc-core')).toBeUndefined()
  })

  it('is by the longer beginning where two patterns have as many characters', () => {
    expect(found(files([], ['a*bc', 'ab*c']), 'abbc')).toBe('ab*c')
    expect(found(files([], ['ab*c', 'a*bc']), 'abbc')).toBe('ab*c')
  })

  it('needs the beginning and the end apart from each other', () => {
    expect(found(files([], ['ab*ba']), 'aba')).toBeUndefined()
    expect(found(files([], ['ab*ba']), 'abba')).toBe('ab*ba')
  })

  it('takes what else a name may hold as it is', () => {
    expect(found(files([], ['a.c', 'x[1]']), 'abc')).toBeUndefined()
    expect(found(files([], ['x[*]']), 'x[1m]')).toBe('x[*]')
  })
})
