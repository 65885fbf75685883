const minuteMs = 60_000;
const dayMs = 86_400_000;
/** The largest offset from UTC that a date may have, in minutes. */
const largestOffset = 14 * 60;
const earliest = Date.parse('0000-01-01T00:00:00Z');
const latest = Date.parse('9999-12-31T23:59:59.999Z');
/** JavaScript ignores decimals after the third, and other programs read nine. */
const mostDecimals = 9;

const date = /(\d{4})(?:-(\d\d)-(\d\d)|(\d\d)(\d\d))/;
const time = /(\d\d)(?::(\d\d)(?::(\d\d)(\.\d+)?)?|(\d\d)(?:(\d\d)(\.\d+)?)?)/;
const offset = /Z|[+-]\d\d(?::?\d\d)?/;
const written = new RegExp(`^${date.source}(?:[T ]${time.source}(${offset.source})?)?$`, 'i');

/** A date as its author's clock and calendar show it. */
interface LocalDate {
  /** The local time as if it were UTC, in ms, in whole seconds. */
  readonly local: number;
  /** The decimals of the seconds, with their point; may be empty. */
  readonly decimals: string;
  /** `Z` or an offset such as `+09:00`; empty if the date has none. */
  readonly offset: string;
}

/**
 * Reads a date and returns it in the extended format of ISO 8601, with seconds: `2027-06-01T09:00:00+02:00`. Returns
 * undefined for anything that isn't a date between the years 0 and 9999.
 *
 * Accepts the basic and the extended format with an offset of up to 14 hours. A date without a time is that day at
 * 00:00. 24:00 is the next day, and a leap second is the next minute. A date without an offset is a local time in
 * `zone`, the name of a time zone, and gets the offset of that zone. Without a `zone`, the result has no offset either.
 */
export function readDate(text: string, zone?: string): string | undefined {
  const found = localDateIn(text.trim());
  if (found === undefined) return undefined;
  const { local, decimals } = found;
  if (found.offset !== '' || zone === undefined) {
    const moment = local - minutesOf(found.offset) * minuteMs;
    return isInRange(moment) && isInRange(local) ? iso(local, decimals + found.offset) : undefined;
  }
  return zonedDate(momentOfLocal(local, zone), zone, decimals);
}

/** Returns a moment (ms) in the extended format of ISO 8601, with ms and with the offset of a time zone. */
export function dateAt(moment: number, zone: string): string {
  const [, decimals = ''] = /(\.\d+)Z$/.exec(new Date(moment).toISOString()) ?? [];
  return zonedDate(moment, zone, decimals) ?? new Date(moment).toISOString();
}

function zonedDate(moment: number, zone: string, decimals: string): string | undefined {
  const ms = offsetAt(moment, zone);
  // ISO 8601 has no seconds in offsets. Before 1900, clocks in a few places were further from UTC than dates may be.
  const minutes = Math.max(-largestOffset, Math.min(largestOffset, Math.round(ms / minuteMs)));
  const local = moment + ms;
  if (!isInRange(moment) || !isInRange(local)) return undefined;
  return iso(local, decimals + (minutes === 0 ? 'Z' : offsetText(minutes)));
}

function localDateIn(text: string): LocalDate | undefined {
  const found = written.exec(text);
  if (found === null) return undefined;
  const [, year, month = found[4], day = found[5]] = found;
  const hour = found[6] ?? '0';
  const minute = Number(found[7] ?? found[10] ?? 0);
  const second = Number(found[8] ?? found[11] ?? 0);
  const decimals = found[9] ?? found[12] ?? '';
  const offset = offsetIn(found[13] ?? '');
  const midnight = midnightOf(Number(year), Number(month), Number(day));
  const isNextDay = hour === '24' && minute === 0 && second === 0 && !/[1-9]/.test(decimals);
  if (midnight === undefined || offset === undefined) return undefined;
  if (isNextDay) return { local: midnight + dayMs, decimals: '', offset };
  if (Number(hour) > 23 || minute > 59 || second > 60) return undefined;
  const local = midnight + (Number(hour) * 60 + minute) * minuteMs + second * 1000;
  return { local, decimals: second === 60 ? '' : decimals.slice(0, mostDecimals + 1), offset };
}

/** Returns the start of a day in UTC, in ms; undefined for a day that doesn't exist, such as 29 February 2023. */
function midnightOf(year: number, month: number, day: number): number | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : undefined;
}

/** Returns an offset in the extended format; undefined if it is too large. */
function offsetIn(text: string): string | undefined {
  const [, sign, hours = '', minutes = '00'] = /^([+-])(\d\d):?(\d\d)?$/.exec(text) ?? [];
  if (sign === undefined) return text.toUpperCase();
  const isPossible = Number(minutes) < 60 && Number(hours) * 60 + Number(minutes) <= largestOffset;
  return isPossible ? `${sign}${hours}:${minutes}` : undefined;
}

/** Returns the minutes of an offset in the extended format; 0 if it is empty or `Z`. */
function minutesOf(offset: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(offset) ?? [];
  const size = Number(hours ?? 0) * 60 + Number(minutes ?? 0);
  return sign === '-' ? -size : size;
}

/** Returns an offset from UTC (in minutes) in the format of ISO 8601: `+09:00`. */
export function offsetText(minutes: number, separator = ':'): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.trunc(size / 60))}${separator}${two(size % 60)}`;
}

const isInRange = (ms: number) => ms >= earliest && ms <= latest;
const iso = (local: number, rest: string) => new Date(local).toISOString().slice(0, 19) + rest;

/** The last valid time zone name. Caching it saves 0.1 ms per check, because the name rarely changes. */
let newestName: string | undefined;

/** Returns whether a string is a valid time zone name. */
export function isTimeZone(zone: string): boolean {
  if (zone === '') return false;
  if (zone === newestName) return true;
  try {
    new Intl.DateTimeFormat('en-GB', { timeZone: zone });
    newestName = zone;
    return true;
  } catch {
    return false;
  }
}

/** How long the name of the computer's own time zone is reused, in ms. Asking for it takes 0.1 ms. */
const ownZoneMs = 1_000;
let ownZone = { name: '', askedAt: -Infinity };

/** Returns the name of the computer's own time zone. */
export function ownTimeZone(): string {
  const now = performance.now();
  if (now - ownZone.askedAt > ownZoneMs)
    ownZone = { name: new Intl.DateTimeFormat().resolvedOptions().timeZone, askedAt: now };
  return ownZone.name;
}

/** Returns the name of the owner's time zone: the one in the settings or, if there is none, the computer's own. */
export const ownerTimeZone = ({ timeZone }: { readonly timeZone: string }): string =>
  isTimeZone(timeZone) ? timeZone : ownTimeZone();
/** The formatter for the last time zone. It is cached because creating it takes longer than using it. */
let newest: { readonly zone: string; readonly format: Intl.DateTimeFormat } | undefined;

/** Since then, all clocks have changed at whole minutes, in ms: the year 1973. */
const wholeMinutesSince = 94_694_400_000;
/** The last offset since 1973. Most moments are in the same minute as the one before, because they are now. */
let newestOffset = { zone: '', minute: 0, offset: 0 };

/** Returns the offset of a time zone from UTC at a moment, both in ms. */
export function offsetAt(moment: number, zone: string): number {
  if (moment < wholeMinutesSince) return computedOffset(moment, zone);
  const minute = Math.floor(moment / minuteMs);
  if (newestOffset.minute !== minute || newestOffset.zone !== zone)
    newestOffset = { zone, minute, offset: computedOffset(moment, zone) };
  return newestOffset.offset;
}

function computedOffset(moment: number, zone: string): number {
  if (newest?.zone !== zone)
    newest = {
      zone,
      format: new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' }),
    };
  const name = newest.format.formatToParts(moment).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  // Offsets before the introduction of time zones have seconds.
  const [, sign, hours = 0, minutes = 0, seconds = 0] =
    /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name) ?? [];
  const offset = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -offset : offset;
}

/**
 * Returns the moment (ms) at which clocks in a time zone show a local time (as if it were UTC, in ms). A local time that
 * a clock change skips moves forward by the gap. Of a local time that exists twice, this is the first.
 */
export function momentOfLocal(local: number, zone: string): number {
  const [before, after] = [offsetAt(local - dayMs, zone), offsetAt(local + dayMs, zone)];
  const candidates = [local - Math.max(before, after), local - Math.min(before, after)];
  return candidates.find((moment) => moment + offsetAt(moment, zone) === local) ?? local - before;
}
