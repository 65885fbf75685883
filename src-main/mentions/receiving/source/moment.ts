const iso =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/** Returns a source's date as ISO 8601, with its own offset if it has one; undefined if it isn't a date. */
export function isoMoment(text: string): string | undefined {
  const trimmed = text.trim();
  const parts = trimmed.length <= 40 ? iso.exec(trimmed) : null;
  if (!parts) return undefined;
  const [year, month, day, hour = 0, minute = 0, second = 0] = parts
    .slice(1, 7)
    .map((part) => Number(part || 0));
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!exists || hour > 23 || minute > 59 || second > 59) return undefined;
  const offset = parts[7];
  if (offset === undefined) return trimmed.replace(' ', 'T').trim();
  const [hours = 0, minutes = 0] = (offset.match(/\d{2}/g) ?? []).map(Number);
  if (hours > 23 || minutes > 59) return undefined;
  const moment = trimmed.slice(0, -offset.length).trim().replace(' ', 'T');
  return (
    moment +
    (/^z$/i.test(offset)
      ? 'Z'
      : offset.replace(/^(.\d{2}):?(\d{2})?$/, (_, h: string, m = '00') => `${h}:${String(m)}`))
  );
}
