/** Returns a moment as a date-and-time field shows it, in this computer's time zone; empty if it isn't a date. */
export function fieldTime(iso: string): string {
  const date = new Date(iso);
  if (iso === '' || Number.isNaN(date.getTime())) return '';
  const year = String(date.getFullYear()).padStart(4, '0');
  const [month, day, hours, minutes] = [
    date.getMonth() + 1,
    date.getDate(),
    date.getHours(),
    date.getMinutes(),
  ].map(twoDigits);
  return `${year}-${month}-${day}T${hours}:${minutes}`;
}

/** Returns the moment in a date-and-time field as ISO 8601 with this computer's UTC offset. Keeps a text that isn't a date. */
export function momentIn(field: string): string {
  const date = new Date(field);
  if (field === '' || Number.isNaN(date.getTime())) return field;
  const minutes = -date.getTimezoneOffset();
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map(twoDigits);
  const seconds = field.length > 'yyyy-mm-ddThh:mm'.length ? '' : ':00';
  return `${field}${seconds}${minutes < 0 ? '-' : '+'}${hours}:${rest}`;
}

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });
const dayAndTime = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** Returns the time of a moment of today, such as "14:05"; of another day, the date too. `at` and `now`: ms since 1970. */
export function shortTime(at: number, now = Date.now()): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString();
  return (isToday ? clock : dayAndTime).format(at);
}

/** Returns the date and the time of a moment (ms since 1970). */
export const fullTime = (at: number): string => dayAndTime.format(at);

const twoDigits = (number: number) => String(number).padStart(2, '0');
