/** A unit: so many of its kind's base unit. */
export interface Unit {
  readonly symbol: string
  readonly kind: Kind
  readonly factor: number
  /** The zero of this unit: 0, but for temperatures. */
  readonly nothing: number
}

export type Kind = keyof typeof KINDS

/** Symbol, size in the base unit, spellings beside the symbol; names in the singular, with British endings. */
type Row = readonly [symbol: string, factor: number, names: string, nothing?: number]

const KINDS = {
  lengths: [
    ['m', 1, 'metre'],
    ['nm', 1e-9, 'nanometre'],
    ['µm', 1e-6, 'micrometre,micron,um'],
    ['mm', 1e-3, 'millimetre'],
    ['cm', 1e-2, 'centimetre'],
    ['km', 1000, 'kilometre'],
    ['in', 0.0254, 'inch,inches,"'],
    ['ft', 0.3048, "foot,feet,'"],
    ['yd', 0.9144, 'yard'],
    ['mi', 1609.344, 'mile'],
    ['nmi', 1852, 'nautical mile'],
    ['au', 149_597_870_700, 'astronomical unit'],
    ['ly', 9_460_730_472_580_800, 'light year,lightyear'],
  ],
  masses: [
    ['kg', 1, 'kilogram,kilo'],
    ['µg', 1e-9, 'microgram,ug'],
    ['mg', 1e-6, 'milligram'],
    ['g', 1e-3, 'gram'],
    ['t', 1000, 'tonne,metric ton'],
    ['oz', 0.028_349_523_125, 'ounce'],
    ['lb', 0.453_592_37, 'pound'],
    ['st', 6.350_293_18, 'stone'],
    ['short ton', 907.184_74, ''],
    ['long ton', 1016.046_908_8, ''],
  ],
  volumes: [
    ['l', 1, 'litre'],
    ['ml', 1e-3, 'millilitre,cm³,cm3,cubic centimetre'],
    ['cl', 1e-2, 'centilitre'],
    ['dl', 0.1, 'decilitre'],
    ['m³', 1000, 'm3,cubic metre'],
    ['tsp', 0.004_928_921_593_75, 'teaspoon'],
    ['tbsp', 0.014_786_764_781_25, 'tablespoon'],
    ['fl oz', 0.029_573_529_562_5, 'floz,fluid ounce'],
    ['cup', 0.236_588_236_5, ''],
    ['pt', 0.473_176_473, 'pint'],
    ['qt', 0.946_352_946, 'quart'],
    ['gal', 3.785_411_784, 'gallon'],
    ['imperial pint', 0.568_261_25, ''],
    ['imperial gallon', 4.546_09, ''],
  ],
  speeds: [
    ['m/s', 1, 'mps,metre per second'],
    ['km/h', 1 / 3.6, 'kph,kmh,kmph,kilometre per hour'],
    ['mph', 0.447_04, 'mi/h,mile per hour'],
    ['ft/s', 0.3048, 'fps,foot per second,feet per second'],
    ['kn', 1852 / 3600, 'kt,knot'],
  ],
  temperatures: [
    ['K', 1, 'kelvin'],
    ['°C', 1, 'celsius,centigrade', -273.15],
    ['°F', 5 / 9, 'fahrenheit', -459.67],
  ],
  times: [
    ['s', 1, 'sec,second'],
    ['ns', 1e-9, 'nanosecond'],
    ['µs', 1e-6, 'microsecond,us'],
    ['ms', 1e-3, 'millisecond,msec'],
    ['min', 60, 'minute'],
    ['h', 3600, 'hr,hour'],
    ['d', 86_400, 'day'],
    ['week', 604_800, 'wk'],
    ['year', 31_557_600, 'yr'],
  ],
  'data sizes': [
    ['B', 1, 'byte'],
    ['bit', 1 / 8, ''],
    ['kB', 1e3, 'kilobyte'],
    ['MB', 1e6, 'megabyte'],
    ['GB', 1e9, 'gigabyte'],
    ['TB', 1e12, 'terabyte'],
    ['KiB', 1024, 'kibibyte'],
    ['MiB', 1024 ** 2, 'mebibyte'],
    ['GiB', 1024 ** 3, 'gibibyte'],
    ['TiB', 1024 ** 4, 'tebibyte'],
    ['kbit', 125, 'kilobit'],
    ['Mbit', 125_000, 'Mb,megabit'],
    ['Gbit', 125_000_000, 'Gb,gigabit'],
  ],
} satisfies Record<string, readonly Row[]>

/** The symbols of a kind, for people to read. */
export const symbolsOf = (kind: Kind): string => KINDS[kind].map(([symbol]) => symbol).join(', ')

export const kinds = Object.keys(KINDS).filter(isKind)

/** The unit that a text names, in any of its common spellings. */
export function unitOf(text: string): Unit | undefined {
  const spelling = text.trim().replace(/\s+/g, ' ')
  // As it is written first: Mb is not MB.
  return UNITS.get(spelling) ?? UNITS.get(plain(spelling)) ?? UNITS.get(plain(spelling).replace(/s\b/g, ''))
}

/** In small letters, with British endings, without dots and marks of degree; light-year is light year, gallons are of the US. */
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[.º°]|\bdeg(?:rees?)?\b/g, '')
    .replaceAll('-', ' ')
    .replace(/^us /, '')
    .replaceAll('μ', 'µ')
    .replaceAll('meter', 'metre')
    .replaceAll('liter', 'litre')
    .replaceAll('gramme', 'gram')
    .trim()

const UNITS: ReadonlyMap<string, Unit> = new Map(spellings())

/** Exact spellings come last, so that they win over the same letters in small. */
function spellings(): readonly (readonly [string, Unit])[] {
  const exact = kinds.flatMap(kind =>
    KINDS[kind].flatMap(([symbol, factor, names, nothing = 0]: Row) => {
      const unit = { symbol, kind, factor, nothing }
      return [symbol, ...names.split(',').filter(Boolean)].map(spelling => [spelling, unit] as const)
    }),
  )
  const small = exact.map(([spelling, unit]) => [plain(spelling), unit] as const)
  // Where two units differ in capitals alone, small letters mean the first: mb is a megabyte.
  return [...small.reverse(), ...exact.reverse()]
}

function isKind(name: string): name is Kind {
  return name in KINDS
}
