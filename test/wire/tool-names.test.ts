import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ToolNames } from '../../src/wire/tool-names.ts'

const send = (names: ToolNames<string>, name: string) => names.send(name, name, name)

describe('names of tools', () => {
  it('leaves a name alone that every backend takes', () => {
    expect(send(new ToolNames(), 'get_weather-2')).toBe('get_weather-2')
  })

  it('writes _ for other characters', () => {
    expect(send(new ToolNames(), 'mcp.files/read')).toBe('mcp_files_read')
  })

  it('shortens a long name to its beginning and a hash, the same in each request', () => {
    const long = 'mcp__a_server_with_a_rather_long_name__a_tool_with_a_rather_long_name_too'

    expect(send(new ToolNames(), long)).toBe('mcp__a_server_with_a_rather_long_name__a_tool_with_a_ra_68b6be33')
  })

  it('finds the tool again that a backend calls', () => {
    const names = new ToolNames<string>()

    expect(names.find(send(names, 'a b'))).toBe('a b')
    expect(names.find('b')).toBeUndefined()
  })

  it('keeps names apart that a backend would take for one', () => {
    const names = new ToolNames<string>()

    expect(send(names, 'a.b')).toBe('a_b')
    expect(send(names, 'a/b')).not.toBe('a_b')
    expect(names.find(send(names, 'a/b'))).toBe('a/b')
  })

  it('sends distinct names that every backend takes, and brings each of them back', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.oneof(fc.string(), fc.string({ minLength: 60 })), { maxLength: 20 }), all => {
        const names = new ToolNames<string>()
        const sent = all.map(name => send(names, name))

        expect(new Set(sent).size).toBe(all.length)
        for (const name of sent) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
        expect(sent.map(name => names.find(name))).toEqual(all)
        expect(all.map(name => send(names, name))).toEqual(sent)
      }),
    )
  })
})
