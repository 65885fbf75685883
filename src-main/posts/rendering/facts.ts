import { rsvpAnswerIn, rsvpAnswers } from '../../contract/post-kinds.ts';
import type { Properties } from '../../contract/posts.ts';
import { html, type Html } from '../../http/html.ts';
import { citedName, citedUrl } from '../links.ts';
import { asLink, asNested, asText, type Nested, propertyText, propertyValues, shownLink } from '../values.ts';
import type { SiteView } from './author.ts';
import { momentMarkup } from './moment.ts';

/** Returns the details of events, check-ins and RSVPs: the time, the organizer, the place and the RSVP's value. */
export function factsMarkup(
  properties: Properties,
  { base, zone }: Pick<SiteView, 'base' | 'zone'>,
): Html | null {
  const rsvps = propertyValues(properties, 'rsvp').flatMap((value) => {
    const answer = asText(value);
    if (answer === undefined) return [];
    const known = rsvpAnswerIn(answer);
    const words = known === undefined ? answer : rsvpAnswers[known].shown;
    return [html`<data class="p-rsvp" value="${answer}">${words}</data>`];
  });
  const rows: (readonly [string, readonly Html[]])[] = [
    ['RSVP', rsvps],
    ['From', moments(properties, 'start', zone)],
    ['To', moments(properties, 'end', zone)],
    ['Organizer', organizers(properties, base)],
    ['At', [...placesMarkup(properties, 'checkin', base), ...placesMarkup(properties, 'location', base)]],
  ];
  const shown = rows.filter(([, values]) => values.length > 0);
  if (shown.length === 0) return null;
  return html`<dl class="facts">${shown.map(
    ([name, values]) => html`<dt>${name}</dt>${values.map((value) => html`<dd>${value}</dd>`)} `,
  )}</dl>`;
}

/** Returns the organizers of an event: cards, URLs or names. */
function organizers(properties: Properties, base: string): Html[] {
  return propertyValues(properties, 'organizer').flatMap((value) => {
    const url = citedUrl(value, base);
    const name = citedName(value) ?? (url === undefined ? undefined : shownLink(url));
    if (name === undefined) return [];
    return url === undefined
      ? [html`<span class="p-organizer h-card" dir="auto">${name}</span>`]
      : [html`<a class="p-organizer h-card" href="${url}" dir="auto">${name}</a>`];
  });
}

/** Returns the times of an event. A time with a UTC offset stays as it is: the offset is that of the event's location. */
function moments(properties: Properties, name: 'start' | 'end', zone: string | undefined): Html[] {
  return propertyValues(properties, name).flatMap((value) => {
    const moment = asText(value);
    return moment === undefined ? [] : [momentMarkup(`dt-${name}`, moment, zone)];
  });
}

/** The properties of a postal address, in the usual order of an address. */
const addressParts = ['street-address', 'postal-code', 'locality', 'region', 'country-name'];

/**
 * Returns the markup of the place where a post was written or checked in, unless the owner hides the location
 * (`location-visibility`). `property`: `location` or `checkin`.
 */
function placesMarkup(properties: Properties, property: 'location' | 'checkin', base: string): Html[] {
  const visibility = propertyText(properties, 'location-visibility') ?? 'public';
  if (visibility !== 'public') return [];
  return propertyValues(properties, property).flatMap((value) => {
    const place = asNested(value);
    if (place) return [placeMarkup(property, place, base)];
    const text = asText(value);
    return text === undefined ? [] : [plainPlace(property, text, base)];
  });
}

function plainPlace(property: string, text: string, base: string): Html {
  const [, latitude, longitude] = /^geo:(-?[\d.]+),(-?[\d.]+)/.exec(text) ?? [];
  if (latitude !== undefined && longitude !== undefined)
    return html`<span class="p-${property} h-geo">${coordinates(latitude, longitude)}</span>`;
  const url = URL.canParse(text) ? asLink(text, base) : undefined;
  return url === undefined
    ? html`<span class="p-${property}" dir="auto">${text}</span>`
    : html`<a class="u-${property}" href="${url}">${url}</a>`;
}

function placeMarkup(property: string, { type, properties }: Nested, base: string): Html {
  const kind = ['h-adr', 'h-geo'].find((name) => type.includes(name)) ?? 'h-card';
  const url = asLink(propertyText(properties, 'url'), base);
  const name = propertyText(properties, 'name');
  const parts = addressParts.flatMap((part) => {
    const text = propertyText(properties, part);
    return text === undefined ? [] : [html`<span class="p-${part}">${text}</span>`];
  });
  const latitude = propertyText(properties, 'latitude');
  const longitude = propertyText(properties, 'longitude');
  const named = name !== undefined || parts.length > 0;
  const where =
    latitude === undefined || longitude === undefined
      ? null
      : named
        ? html`<data class="p-latitude" value="${latitude}"></data><data class="p-longitude" value="${longitude}"></data>`
        : coordinates(latitude, longitude);
  const title = [...(name === undefined ? [] : [nameMarkup(name, url)]), ...parts];
  // In microformats, the value of a check-in is the place's URL, so the class name needs the `u-` prefix.
  const prefix = property === 'checkin' && url !== undefined ? 'u' : 'p';
  return html`<span class="${prefix}-${property} ${kind}" dir="auto">${joined(title)}${where}</span>`;
}

function nameMarkup(name: string, url: string | undefined): Html {
  return url === undefined
    ? html`<span class="p-name">${name}</span>`
    : html`<a class="p-name u-url" href="${url}">${name}</a>`;
}

function coordinates(latitude: string, longitude: string): Html {
  return html`<span class="p-latitude">${latitude}</span>, <span class="p-longitude">${longitude}</span>`;
}

function joined(parts: readonly Html[]): Html {
  return html`${parts.map((part, index) => html`${index > 0 && ', '}${part}`)}`;
}
