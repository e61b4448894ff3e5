import { expect, it } from 'vitest'
import { diffLines } from '../../../src/cli/agents/diff-lines.ts'
import { editText, heldSettings } from '../../../src/cli/agents/edit-text.ts'
import { shellLine } from '../../../src/cli/agents/known-agents.ts'

const json = {
  format: 'json',
  settings: [
    { at: ['env', 'URL'], value: 'x' },
    { at: ['helper'], value: 'svcctl token' },
  ],
} as const
const toml = {
  format: 'toml',
  settings: [
    { at: ['model'], value: 'core' },
    { at: ['providers', 'svc'], value: { name: 'svc', auth: { command: 'svcctl', args: ['token', 'a"b'] } } },
  ],
} as const
const yaml = {
  format: 'yaml',
  settings: [{ at: ['models', { named: 'svc' }], value: { name: 'svc', key: 'k' } }],
} as const

const there = (text: string, edit: Parameters<typeof editText>[1]) => {
  const edited = editText(text, edit)
  if ('problem' in edited) throw new Error(edited.problem)
  return edited
}

it.each([
  ['JSON that is empty', '', json, '{\n  "env": {\n    "URL": "x"\n  },\n  "helper": "svcctl token"\n}\n'],
  [
    'JSON with its own indentation',
    '{\n\t"a": 1\n}',
    json,
    '{\n\t"a": 1,\n\t"env": {\n\t\t"URL": "x"\n\t},\n\t"helper": "svcctl token"\n}\n',
  ],
  [
    'a name that every object has',
    '{"__proto__": {"env": 1}, "constructor": 2}',
    json,
    '{\n  "__proto__": {\n    "env": 1\n  },\n  "constructor": 2,\n  "env": {\n    "URL": "x"\n  },\n  "helper": "svcctl token"\n}\n',
  ],
  [
    'TOML, around its comments',
    '# mine\nmodel = "own" # old\n[a]\nb = 1 # kept\n',
    toml,
    '# mine\nmodel = "core"\n[a]\nb = 1 # kept\n\n[providers.svc]\nname = "svc"\n\n[providers.svc.auth]\ncommand = "svcctl"\nargs = ["token","a\\"b"]\n',
  ],
  [
    'TOML with such a table in the middle',
    'model = "x"\n[providers.svc]\nold = 1\n[providers.svc.auth]\nx = 2\n[z]\ny = 1\n',
    toml,
    'model = "core"\n[z]\ny = 1\n\n[providers.svc]\nname = "svc"\n\n[providers.svc.auth]\ncommand = "svcctl"\nargs = ["token","a\\"b"]\n',
  ],
  [
    'YAML, with its comments and other things of the list',
    '# mine\nmodels:\n  - name: own # kept\n    key: z\n',
    yaml,
    '# mine\nmodels:\n  - name: own # kept\n    key: z\n  - name: svc\n    key: k\n',
  ],
])('%s gets the settings and keeps the rest', (_, text, edit, wanted) => {
  expect(there(text, edit).text).toBe(wanted)
})

it.each([
  ['comments in JSON', '{ "a": 1 // mine\n}', json],
  ['a name that appears twice', '{"a": 1, "a": 2}', json],
  ['a number that JavaScript rounds', '{"a": 12345678901234567890}', json],
  ['numbers as names, whose order would change', '{"b": 1, "1": 2}', json],
  ['a list in place of settings', '[1]', json],
  ['a text where settings belong', '{"env": "x"}', json],
  ['a byte order mark', '\ufeff{"a": 1}', json],
  ['half a file', '{"a": ', json],
  ['a table inside a text of several lines', 'a = """\n[providers.svc]\nmodel = 1\n"""\n', toml],
  ['a table on one line', 'providers = { svc = { name = "x" } }\n', toml],
  ['a table of the same name in other words', 'providers.svc.name = "x"\n', toml],
  ['TOML with a name twice', 'a = 1\na = 2\n', toml],
  ['YAML with a name twice', 'a: 1\na: 2\n', yaml],
  ['YAML whose list is something else', 'models: { a: 1 }\n', yaml],
])('%s is refused, and no text of the file is in the reason', (_, text, edit) => {
  const edited = editText(text, edit)
  expect(edited).toEqual({ problem: expect.stringMatching(/^is (?:not|no|written)/) })
})

it.each([
  ['JSON', '{\n  "env": {\n    "URL": "mine"\n  },\n  "b": 1\n}\n', json],
  ['TOML', 'model = "own"\n\n[a]\nb = 1\n', toml],
  ['YAML', 'models:\n  - name: svc\n    key: own\n', yaml],
])('the settings before lead back to the same %s', (_, text, edit) => {
  const { text: after, was } = there(text, edit)

  expect(there(after, { ...edit, settings: was }).text).toBe(text)
  expect(heldSettings(after, edit)).toEqual(edit.settings)
  expect(heldSettings(text, edit)).toEqual([])
})

it('a change is shown with the lines around it', () => {
  expect(diffLines('a\nb\nc\nd\ne\n', 'a\nb\nX\nd\nY\ne\n')).toEqual(['  a', '  b', '- c', '+ X', '  d', '+ Y', '  e'])
  expect(diffLines('', 'a\n')).toEqual(['+ a'])
})

it('a command is quoted for the shell, whatever is in it', () => {
  expect(shellLine(['/usr/bin/node', "/home/o'neil/a b", '$(x)', ''])).toBe(
    "/usr/bin/node '/home/o'\\''neil/a b' '$(x)' ''",
  )
})
