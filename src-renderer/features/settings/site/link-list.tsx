import { TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Settings } from '../../../../src-main/contract/settings.ts';
import { OrderedList } from './ordered-list.tsx';
import { linkProblems } from './site-rows.ts';
import { linkWords as words, siteWords } from './words.ts';

type Links = Settings['site']['links'];

interface Props {
  readonly id: string;
  readonly links: Links;
  /** True once the owner has tried to save: then problems are shown. */
  readonly judged: boolean;
  readonly onChange: (links: Links) => void;
}

/** Edits the links on the home page. */
export function LinkList({ id, links, judged, onChange }: Props): ReactElement {
  const { label, about } = siteWords.settings.links;
  return (
    <OrderedList
      {...{ id, label, onChange }}
      description={about}
      one={words.one}
      items={links}
      most={50}
      empty={{ label: '', url: '' }}
      nameOf={(link) => link.label}
    >
      {(link, index, replace) => {
        const problems = judged ? linkProblems(link) : {};
        return (
          <>
            <TextInput
              aria-label={words.label(index + 1)}
              placeholder={words.labelHint}
              value={link.label}
              maxLength={200}
              error={problems.label}
              onChange={(event) => replace({ label: event.currentTarget.value })}
            />
            <TextInput
              aria-label={words.url(index + 1)}
              type="url"
              placeholder={words.urlHint}
              value={link.url}
              maxLength={2048}
              error={problems.url}
              onChange={(event) => replace({ url: event.currentTarget.value })}
            />
          </>
        );
      }}
    </OrderedList>
  );
}
