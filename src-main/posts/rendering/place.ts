import type { Properties } from '../../contract/posts.ts';
import { html, type Html } from '../../http/html.ts';
import { asLink, asNested, asText, propertyText, propertyValues, type Nested } from '../values.ts';

/** The properties of a postal address, in the usual order of an address. */
const addressParts = ['street-address', 'postal-code', 'locality', 'region', 'country-name'];

/**
 * Returns the markup of the place where a post was written or checked in, unless the owner hides the location
 * (`location-visibility`). `property`: `location` or `checkin`.
 */
export function placesMarkup(properties: Properties, property: 'location' | 'checkin', base: string): Html[] {
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
