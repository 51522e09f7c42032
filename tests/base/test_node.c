/* Documents become trees of raw texts with places; hostile ones are refused
 * quickly and in little memory. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/node.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/mem.h"
#include "base/text.h"
#include "tests/lib/suite.h"

static struct node *good(const char *text)
{
    struct faults f;
    struct node *node;

    faults_init(&f);
    ck_assert_msg(node_parse(text, strlen(text), &node, &f) == 0, "%s: %s",
                  text, f.n ? f.items[0].text : "");
    ck_assert_uint_eq(f.n, 0);
    return node;
}

/* The first fault as LINE:COLUMN: text. Yours to free. */
static char *refused(const char *bytes, size_t n)
{
    struct faults f;
    struct node *node;
    char *told;

    faults_init(&f);
    ck_assert_int_eq(node_parse(bytes, n, &node, &f), -1);
    ck_assert_ptr_null(node);
    ck_assert_uint_ge(f.n, 1);
    told = mem_format("%d:%d: %s", f.items[0].line, f.items[0].column,
                      f.items[0].text);
    faults_clear(&f);
    return told;
}

START_TEST(scalars_keep_their_text_whatever_yaml_says_they_mean)
{
    static const struct {
        const char *yaml, *text;
        bool quoted;
    } rows[] = {
        {"1e-4", "1e-4", false},
        {"no", "no", false},
        {"010", "010", false},
        {"1_000", "1_000", false},
        {"0x10", "0x10", false},
        {"2026-11-21", "2026-11-21", false},
        {"'on'", "on", true},
        {"\"a\\tb\"", "a\tb", true},
        {"\"\"", "", true},
        {"'null'", "null", true},
        {"!!str 5", "5", true},
        {"|\n  two\n  lines\n", "two\nlines\n", true},
        {"a b # c", "a b", false},
        {"123456789012345678901234567890", "123456789012345678901234567890",
         false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct node *node = good(rows[i].yaml);

        ck_assert_int_eq(node->kind, NODE_SCALAR);
        ck_assert_str_eq(node->text, rows[i].text);
        ck_assert_msg(node->quoted == rows[i].quoted, "%s", rows[i].yaml);
        node_free(node);
    }
}
END_TEST

START_TEST(nothing_is_null)
{
    static const char *const rows[] = {"null", "~", "a:", "a: ~", "[null]"};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct node *node = good(rows[i]);
        const struct node *v = node->n ? node->items[0].value : node;

        ck_assert_int_eq(v->kind, NODE_NULL);
        ck_assert_ptr_null(v->text);
        node_free(node);
    }
}
END_TEST

START_TEST(entries_stand_in_order_with_their_places)
{
    struct node *node = good("b: 1\na:\n  - x\n  - {y: z}\n");
    const struct node *list = node_get(node, "a");

    ck_assert_int_eq(node->kind, NODE_MAP);
    ck_assert_uint_eq(node->n, 2);
    ck_assert_str_eq(node->items[0].key, "b");
    ck_assert_int_eq(node->items[1].line, 2);
    ck_assert_int_eq(node->items[1].column, 1);
    ck_assert_int_eq(list->kind, NODE_LIST);
    ck_assert_int_eq(list->items[1].value->line, 4);
    ck_assert_int_eq(list->items[1].value->column, 5);
    ck_assert_str_eq(node_get(list->items[1].value, "y")->text, "z");
    ck_assert_ptr_null(node_get(node, "c"));
    ck_assert_ptr_null(node_get(list, "a"));
    ck_assert_ptr_null(node_get(NULL, "a"));
    node_free(node);
}
END_TEST

START_TEST(json_is_read_by_the_same_reader)
{
    static const char bom[] = "\xef\xbb\xbf{\"a\": 1}";
    struct node *node = good("\t{\n\t\"a\\/b\": \"\\ud83d\\ude00 \\u00e9\",\n"
                             "\t\"n\": -1.5E+3, \"t\": true,\n"
                             "\t\"s\": \"\\\\ud83d \u2028 \x7f\xc2\x81\"}\n");

    ck_assert_str_eq(node_get(node, "a/b")->text, "\U0001f600 \u00e9");
    ck_assert_str_eq(node_get(node, "n")->text, "-1.5E+3");
    ck_assert_str_eq(node_get(node, "t")->text, "true");
    ck_assert_str_eq(node_get(node, "s")->text, "\\ud83d \u2028 \x7f\xc2\x81");
    node_free(node);
    node = good(bom);
    ck_assert_str_eq(node_get(node, "a")->text, "1");
    node_free(node);
}
END_TEST

START_TEST(aliases_are_what_they_stand_for)
{
    struct node *node = good("a: &x {k: [1, 2]}\nb: *x\n");
    const struct node *b = node_get(node, "b");

    ck_assert_str_eq(node_get(b, "k")->items[1].value->text, "2");
    ck_assert_int_eq(b->line, 2);
    node_free(node);
}
END_TEST

START_TEST(what_is_no_document_is_refused_with_its_place)
{
    static const struct {
        const char *text, *fault;
    } rows[] = {
        {"", "1:1: the document is empty"},
        {"# only a comment\n", "1:1: the document is empty"},
        {"a: 1\nb: 2\na: 3\n",
         "3:1: the key \"a\" stands here twice (first on line 1)"},
        {"{\"x\": {\"k\": 1, \"k\": 2}}",
         "1:16: the key \"k\" stands here twice (first on line 1)"},
        {"a: 1\n---\nb: 2\n",
         "3:1: a second document begins here; put it into a file of its own"},
        {"a: *b\n", "1:4: the alias *b has no anchor &b before it"},
        {"a: &b [*b]\n", "1:8: the alias *b stands inside what it stands for"},
        {"? [a]\n: b\n", "1:3: a key must be a plain word or quoted text"},
        {"a: \"\\0\"\n",
         "1:4: the text holds a NUL character (\\0 or \\u0000)"},
        {"a: caf\xe9\n", "1:7: this is not UTF-8 text"},
        {"\xff\xfe"
         "a",
         "1:1: this is not UTF-8 text"},
        {"a: \xed\xa0\x80", "1:4: this is not UTF-8 text"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *told = refused(rows[i].text, strlen(rows[i].text));

        ck_assert_str_eq(told, rows[i].fault);
        free(told);
    }
}
END_TEST

START_TEST(broken_syntax_is_told_with_its_line)
{
    static const struct {
        const char *text, *begin;
    } rows[] = {
        {"a: [1, 2\nb: 3\n", "2:"}, {"a: \"x\n", "2:"},
        {"a: b: c\n", "1:"},        {"a:\n\t- 1\n", "2:"},
        {"{\"a\": 1", "2:"},        {"a: \"\\ud83d\"", "1:"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *told = refused(rows[i].text, strlen(rows[i].text));

        ck_assert_msg(strncmp(told, rows[i].begin, 2) == 0, "%s", told);
        ck_assert_ptr_nonnull(strstr(told, ": this is not YAML or JSON: "));
        free(told);
    }
}
END_TEST

START_TEST(a_tab_that_indents_is_told_as_that)
{
    const char *text = "a:\n b: 1\n \tc: 2\n";
    char *told = refused("a:\n\tb: 1\n", 9);

    ck_assert_msg(strstr(told, "; indent by blanks, not by tabs"), "%s", told);
    free(told);
    told = refused(text, strlen(text));
    ck_assert_msg(strstr(told, "3:"), "%s", told);
    free(told);
    told = refused("a: [1\n", 6);
    ck_assert_msg(!strstr(told, "tabs"), "%s", told);
    free(told);
}
END_TEST

START_TEST(a_nul_byte_is_refused)
{
    char *told = refused("a: 1\n\0b: 2\n", 11);

    ck_assert_str_eq(told, "2:1: there is a NUL byte in the text");
    free(told);
}
END_TEST

START_TEST(a_hundred_megabytes_of_brackets_are_refused_unread)
{
    size_t n = 100000000;
    char *brackets = malloc(n);
    char *told;

    ck_assert_ptr_nonnull(brackets);
    memset(brackets, '[', n);
    told = refused(brackets, n);
    ck_assert_str_eq(told, "0:0: the document has 100000000 bytes, and more "
                           "than 4194304 are not read");
    free(told);
    told = refused(brackets, NODE_MOST_BYTES);
    ck_assert_str_eq(told, "1:65: lists and maps are nested more than 64 deep "
                           "here");
    free(told);
    free(brackets);
}
END_TEST

START_TEST(nesting_has_an_end_and_not_before_it)
{
    struct text deep;
    char *told;

    text_init(&deep);
    for (int i = 0; i < NODE_MOST_DEPTH; i++)
        text_add(&deep, "[");
    for (int i = 0; i < NODE_MOST_DEPTH; i++)
        text_add(&deep, "]");
    node_free(good(text_str(&deep)));
    text_reset(&deep);
    for (int i = 0; i <= NODE_MOST_DEPTH; i++)
        text_addf(&deep, "%*sa:\n", i, "");
    told = refused(text_str(&deep), deep.len);
    ck_assert_str_eq(told, "65:65: lists and maps are nested more than 64 "
                           "deep here");
    free(told);
    text_clear(&deep);
}
END_TEST

/* Aliases of aliases: ten to the power of nine values from nine lines. */
START_TEST(an_alias_bomb_is_refused_in_little_memory)
{
    struct rusage before, after;
    struct text bomb;
    char *told;

    text_init(&bomb);
    text_add(&bomb, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 10; i++) {
        text_addf(&bomb, "a%d: &a%d [", i, i);
        for (int k = 0; k < 10; k++)
            text_addf(&bomb, "%s*a%d", k ? ", " : "", i - 1);
        text_add(&bomb, "]\n");
    }
    ck_assert_int_eq(getrusage(RUSAGE_SELF, &before), 0);
    told = refused(text_str(&bomb), bomb.len);
    ck_assert_int_eq(getrusage(RUSAGE_SELF, &after), 0);
    ck_assert_ptr_nonnull(strstr(told, "the document holds more than 200000 "
                                       "values"));
    ck_assert_int_lt(after.ru_maxrss - before.ru_maxrss, 200 << 10); /* kB */
    free(told);
    text_clear(&bomb);
}
END_TEST

/* Few values, but of long texts. */
START_TEST(aliases_of_long_texts_are_counted_by_their_bytes)
{
    char *told, *word = mem_new(1 << 20, 1);
    struct text bomb;

    memset(word, 'x', (1 << 20) - 1);
    text_init(&bomb);
    text_addf(&bomb, "a: &a '%s'\nb: [*a, *a, *a, *a, *a, *a]\n", word);
    told = refused(text_str(&bomb), bomb.len);
    ck_assert_str_eq(told,
                     "2:21: the aliases stand for more than 4 MB of text");
    free(told);
    free(word);
    text_clear(&bomb);
}
END_TEST

SUITE_WITHIN(240, "base/node",
             scalars_keep_their_text_whatever_yaml_says_they_mean,
             nothing_is_null, entries_stand_in_order_with_their_places,
             json_is_read_by_the_same_reader, aliases_are_what_they_stand_for,
             what_is_no_document_is_refused_with_its_place,
             broken_syntax_is_told_with_its_line,
             a_tab_that_indents_is_told_as_that, a_nul_byte_is_refused,
             a_hundred_megabytes_of_brackets_are_refused_unread,
             nesting_has_an_end_and_not_before_it,
             an_alias_bomb_is_refused_in_little_memory,
             aliases_of_long_texts_are_counted_by_their_bytes)
