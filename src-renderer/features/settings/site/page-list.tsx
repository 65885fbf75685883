import { Textarea, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Settings } from '../../../../src-main/contract/settings.ts';
import { OrderedList } from './ordered-list.tsx';
import { pageProblems, pageSlug } from './site-rows.ts';
import styles from './site.module.css';
import { pageWords as words, siteWords } from './words.ts';

type Pages = Settings['site']['pages'];

interface Props {
  readonly id: string;
  readonly pages: Pages;
  /** True once the owner has tried to save: then problems are shown. */
  readonly judged: boolean;
  readonly onChange: (pages: Pages) => void;
}

/** Edits the owner's pages. A page's address follows from its title until the owner chooses one. */
export function PageList({ id, pages, judged, onChange }: Props): ReactElement {
  const { label, about } = siteWords.settings.pages;
  return (
    <div className={styles.pages}>
      <OrderedList
        {...{ id, label, onChange }}
        description={about}
        one={words.one}
        items={pages}
        most={50}
        empty={{ slug: '', title: '', text: '' }}
        nameOf={({ title }) => title}
      >
        {(page, index, replace) => {
          const problems = judged ? pageProblems(page, pages) : {};
          return (
            <>
              <TextInput
                label={words.title}
                placeholder={index === 0 ? words.titleHint : undefined}
                value={page.title}
                maxLength={200}
                error={problems.title}
                onChange={({ currentTarget: { value } }) =>
                  replace({
                    title: value,
                    ...(page.slug === pageSlug(page.title) && { slug: pageSlug(value) }),
                  })
                }
              />
              <TextInput
                label={words.slug}
                leftSection={<span aria-hidden="true">/</span>}
                value={page.slug}
                maxLength={60}
                error={problems.slug}
                onChange={(event) => replace({ slug: event.currentTarget.value.trim().toLowerCase() })}
              />
              <Textarea
                label={words.text}
                className={styles.wide}
                rows={6}
                resize="vertical"
                value={page.text}
                maxLength={200_000}
                onChange={(event) => replace({ text: event.currentTarget.value })}
              />
            </>
          );
        }}
      </OrderedList>
    </div>
  );
}
