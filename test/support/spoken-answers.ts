import { randomInt } from './random.ts'

/** The tokens of random answers, as tokenizers make them. */
const VOCABULARY: Readonly<Record<string, readonly string[]>> = {
  digits: [...'0123456789'],
  thousands: ['123', '456', ' ', '789', ',', '000'],
  chinese: ['今天', '天气', '很', '好', '，', '人工智能', '我们', '的', '。'],
  japanese: ['こん', 'にち', 'は', '世界', 'です', '。'],
  russian: [' Привет', ',', ' сегодня', ' хорошая', ' погода', ' международ', 'ный'],
  hindi: [' नमस्ते', ' दुनिया', ' आज', ' मौसम', ' अच्छा', ' है'],
  emoji: ['😀', '🎉', '👍', ' ', '🇩🇪', '👩‍💻', '❤️'],
  code: [
    'function',
    ' add',
    '(a',
    ',',
    ' b',
    ')',
    ' {\n',
    '    ',
    'return',
    ' a',
    ' +',
    ' b',
    ';\n',
    '}',
    '\n\n',
    '"',
    '\\',
    '\t',
  ],
  english: [' the', ' quick', ' international', ' responsibilities', '.', '\n', ' a', ' electroencephalography'],
}

const SCRIPTS = Object.keys(VOCABULARY)

/** A random answer: what each of its deltas says, and how many tokens it is. */
export interface Spoken {
  readonly script: string
  readonly deltas: readonly string[]
  readonly tokens: number
}

/** `together`: how many tokens a backend sends in one delta at the most. */
export function randomAnswer(random: () => number, together: number): Spoken {
  const script = SCRIPTS[randomInt(random, 0, SCRIPTS.length - 1)] ?? 'digits'
  const words = VOCABULARY[script] ?? []
  const tokens = Array.from(
    { length: randomInt(random, 1, 40) },
    () => words[randomInt(random, 0, words.length - 1)] ?? '',
  )
  const deltas: string[] = []
  for (let at = 0; at < tokens.length; ) {
    const next = at + randomInt(random, 1, together)
    deltas.push(tokens.slice(at, next).join(''))
    at = next
  }
  return { script, deltas, tokens: tokens.length }
}
