//! Text to [`Program`], with Python's precedence.
//!
//! Each statement is read for itself: what cannot be read is a problem with its place, and reading goes on in
//! the next line. Nesting is limited, so that no text exhausts the stack.

use super::Problem;
use super::lex::{Placed, Token, lex};
use super::tree::{Argument, Expression, Item, Kind, Letter, Name, Operator, Program, Sign, Statement};
use crate::base::Span;
use num_rational::BigRational;

/// How deep brackets may nest, and how many operators of a kind may stand in a row.
const DEPTH: usize = 100;
/// How high the tree of a statement may be.
const HEIGHT: usize = 300;
/// Tokens of a statement.
const TOKENS: usize = 4000;

/// Reads a formula. It is usable if there is no problem.
pub fn parse(text: &str) -> (Program, Vec<Problem>) {
    let (tokens, mut problems) = lex(text);
    let mut parser = Parser { tokens: &tokens, at: 0, depth: 0 };
    let mut program = Program::default();
    loop {
        while parser.accept_line() {}
        if *parser.token() == Token::End {
            break;
        }
        // What a module would be needed for is known.
        if matches!(parser.token(), Token::Name("import" | "from")) {
            parser.next_line();
            continue;
        }
        match parser.statement() {
            Ok(statement) => program.statements.push(statement),
            Err(problem) => {
                problems.push(problem);
                parser.next_line();
            }
        }
    }
    problems.sort_by_key(|problem| problem.span.start);
    (program, problems)
}

/// What stands before a condition while it is read: inside parentheses lines may end anywhere.
pub(super) const BEFORE: &str = "_=(";

/// Reads a condition: an expression, which becomes the value of a program's only assignment.
pub fn condition(text: &str) -> (Program, Vec<Problem>) {
    let (program, mut problems) = parse(&format!("{BEFORE}{text}\n)"));
    // The parenthesis behind it is ours.
    let end = (BEFORE.len() + text.len()) as u32;
    for problem in problems.iter_mut().filter(|problem| problem.span.start >= end) {
        problem.message = problem.message.replace("found `)`", "found the end of the condition");
    }
    if problems.is_empty()
        && let Some(second) = program.statements.get(1)
    {
        problems.push(Problem::new(second.span, "a contract is one condition, without assignments"));
    }
    let assigns = text.replace("==", "").replace("<=", "").replace(">=", "").replace("!=", "").contains('=');
    if assigns && let Some(problem) = problems.first_mut() {
        problem.notes.push("that two things are equal is written `a == b`".to_owned());
    }
    (program, problems)
}

/// Where in a condition's text a place of its program is.
pub fn within_condition(span: Span, text: &str) -> Span {
    let end = text.trim_end().len() as u32;
    let to = |at: u32| at.saturating_sub(BEFORE.len() as u32).min(end);
    Span { start: to(span.start), end: to(span.end) }
}

/// Whether a text begins as a formula does, with an assignment: PTX, CUDA and Python's programs do not.
pub fn looks_like_formula(text: &str) -> bool {
    let (tokens, _) = lex(text);
    let imports = |line: &&[Placed<'_>]| {
        matches!(line.first().map(|placed| &placed.token), None | Some(Token::Name("import" | "from")))
    };
    let lines = tokens.split(|placed| placed.token == Token::Line).skip_while(imports);
    let mut tokens = lines.flatten().map(|placed| &placed.token);
    if !matches!(tokens.next(), Some(Token::Name(_))) {
        return false;
    }
    let mut depth = 0usize;
    for token in tokens {
        match token {
            Token::Mark("[") => depth += 1,
            Token::Mark("]") => depth = depth.saturating_sub(1),
            Token::Mark("=" | "+=" | "-=" | "*=" | "/=") if depth == 0 => return true,
            _ if depth > 0 && !matches!(token, Token::Line | Token::End) => {}
            _ => return false,
        }
    }
    false
}

struct Parser<'a> {
    tokens: &'a [Placed<'a>],
    at: usize,
    depth: usize,
}

/// What to do with an expression that is too large.
const DEEP: &str = "this is a very large expression; give a part of it a name in a line before";

type Read<T> = Result<T, Problem>;

/// Comparisons, weakest binding of the operators with two operands that associate to the left.
const LEVELS: [&[(&str, Operator)]; 7] = [
    &[
        ("<", Operator::Less),
        ("<=", Operator::LessEqual),
        (">", Operator::Greater),
        (">=", Operator::GreaterEqual),
        ("==", Operator::Equal),
        ("!=", Operator::NotEqual),
    ],
    &[("|", Operator::BitOr)],
    &[("^", Operator::BitXor)],
    &[("&", Operator::BitAnd)],
    &[("<<", Operator::ShiftLeft), (">>", Operator::ShiftRight)],
    &[("+", Operator::Add), ("-", Operator::Subtract)],
    &[
        ("*", Operator::Multiply),
        ("/", Operator::Divide),
        ("//", Operator::FloorDivide),
        ("%", Operator::Remainder),
        ("@", Operator::Matrix),
    ],
];

impl<'a> Parser<'a> {
    fn token(&self) -> &Token<'a> {
        &self.tokens[self.at].token
    }

    fn ahead(&self, by: usize) -> &Token<'a> {
        &self.tokens[(self.at + by).min(self.tokens.len() - 1)].token
    }

    fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    /// From a place to the end of the last token.
    fn since(&self, start: Span) -> Span {
        Span { start: start.start, end: self.tokens[self.at.saturating_sub(1)].span.end.max(start.end) }
    }

    fn accept(&mut self, mark: &str) -> bool {
        let found = matches!(self.token(), Token::Mark(found) if *found == mark);
        if found {
            self.advance();
        }
        found
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let found = matches!(self.token(), Token::Name(found) if *found == word);
        if found {
            self.advance();
        }
        found
    }

    fn accept_line(&mut self) -> bool {
        let found = matches!(self.token(), Token::Line | Token::Mark(";"));
        if found {
            self.advance();
        }
        found
    }

    fn next_line(&mut self) {
        while !matches!(self.token(), Token::Line | Token::End) {
            self.advance();
        }
    }

    #[cold]
    fn expected(&self, what: &str) -> Problem {
        let found = match self.token() {
            Token::Number(..) => "a number".to_owned(),
            Token::Name(name) => format!("`{name}`"),
            Token::Text(text) => format!("'{text}'"),
            Token::Mark(mark) => format!("`{mark}`"),
            Token::Line => "the end of the line".to_owned(),
            Token::End => "the end".to_owned(),
        };
        Problem::new(self.span(), format!("expected {what}, found {found}"))
    }

    fn expect(&mut self, mark: &'static str, opened: Option<Span>) -> Read<()> {
        if self.accept(mark) {
            return Ok(());
        }
        match opened {
            Some(span) if *self.token() == Token::End => {
                Err(Problem::new(span, format!("this bracket is never closed: `{mark}` is missing")))
            }
            _ => Err(self.expected(&format!("`{mark}`"))),
        }
    }

    fn name(&mut self, what: &str) -> Read<Name> {
        match self.token() {
            Token::Name(text) => {
                let name = Name { text: (*text).to_owned(), span: self.span() };
                self.advance();
                Ok(name)
            }
            _ => Err(self.expected(what)),
        }
    }

    fn statement(&mut self) -> Read<Statement> {
        let start = self.span();
        if let Token::Name(word @ ("def" | "for" | "while" | "if" | "return" | "class" | "with")) =
            self.token()
        {
            let message =
                format!("`{word}` is no part of a formula: it has assignments only, such as `y = exp(x)`");
            return Err(Problem::new(start, message));
        }
        let target = self.name("an assignment such as `y = exp(x)`")?;
        let mut letters = None;
        if self.accept("[") {
            const LETTER: &str =
                "a letter for an index (an assignment says what a whole tensor is: `y = …` or `y[i] = …`)";
            let mut names = vec![self.name(LETTER)?];
            while self.accept(",") {
                names.push(self.name(LETTER)?);
            }
            self.expect("]", Some(start))?;
            letters = Some(names);
        }
        let together = [
            ("+=", Operator::Add),
            ("-=", Operator::Subtract),
            ("*=", Operator::Multiply),
            ("/=", Operator::Divide),
        ];
        let operator = together.into_iter().find(|(mark, _)| self.accept(mark)).map(|(_, operator)| operator);
        if operator.is_none() && !self.accept("=") {
            let problem = self.expected("`=`");
            return Err(problem.note("a formula assigns its outputs: `y = exp(x)`"));
        }
        let rest = &self.tokens[self.at..];
        let length = rest.iter().position(|placed| matches!(placed.token, Token::Line | Token::End));
        if length.unwrap_or(rest.len()) > TOKENS {
            return Err(Problem::new(start, DEEP));
        }
        let mut value = self.expression()?;
        if *self.token() == Token::Mark(",") {
            let message = "an assignment has one value; write one line for each output";
            return Err(Problem::new(self.span(), message));
        }
        if !matches!(self.token(), Token::Line | Token::End | Token::Mark(";")) {
            return Err(self.expected("the end of the line"));
        }
        let span = self.since(start);
        if height(&value) > HEIGHT {
            return Err(Problem::new(span, DEEP));
        }
        if let Some(operator) = operator {
            let place = target.span;
            let mut before = Expression { kind: Kind::Name(target.text.clone()), span: place };
            if let Some(letters) = &letters {
                let item = |letter: &Name| {
                    Item::At(Expression { kind: Kind::Name(letter.text.clone()), span: letter.span })
                };
                let items = letters.iter().map(item).collect();
                before = Expression { kind: Kind::Index(Box::new(before), items), span: place };
            }
            value = Expression { kind: Kind::Binary(operator, Box::new(before), Box::new(value)), span };
        }
        Ok(Statement { target, letters, value, span })
    }

    /// Reads one level deeper.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth == DEPTH {
            return Err(Problem::new(self.span(), DEEP));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn expression(&mut self) -> Read<Expression> {
        self.deeper(|parser| {
            let start = parser.span();
            let value = parser.either()?;
            if !parser.accept_word("if") {
                return Ok(value);
            }
            let condition = parser.either()?;
            if !parser.accept_word("else") {
                return Err(parser.expected("`else`"));
            }
            let otherwise = parser.expression()?;
            let kind = Kind::If(Box::new(condition), Box::new(value), Box::new(otherwise));
            Ok(Expression { kind, span: parser.since(start) })
        })
    }

    fn either(&mut self) -> Read<Expression> {
        let start = self.span();
        let mut left = self.both()?;
        while self.accept_word("or") {
            let right = self.both()?;
            left = self.binary(Operator::Or, left, right, start);
        }
        Ok(left)
    }

    fn both(&mut self) -> Read<Expression> {
        let start = self.span();
        let mut left = self.negated()?;
        while self.accept_word("and") {
            let right = self.negated()?;
            left = self.binary(Operator::And, left, right, start);
        }
        Ok(left)
    }

    fn negated(&mut self) -> Read<Expression> {
        let start = self.span();
        if self.accept_word("not") {
            let inner = self.deeper(Self::negated)?;
            let kind = Kind::Unary(Sign::Not, Box::new(inner));
            return Ok(Expression { kind, span: self.since(start) });
        }
        self.comparison()
    }

    fn binary(&self, operator: Operator, left: Expression, right: Expression, start: Span) -> Expression {
        let kind = Kind::Binary(operator, Box::new(left), Box::new(right));
        Expression { kind, span: self.since(start) }
    }

    fn operator(&mut self, level: usize) -> Option<Operator> {
        let (mark, operator) = LEVELS[level].iter().find(|(mark, _)| *self.token() == Token::Mark(mark))?;
        self.accept(mark);
        Some(*operator)
    }

    /// `a < b`, and `a < b < c` for both.
    fn comparison(&mut self) -> Read<Expression> {
        let start = self.span();
        let mut left = self.level(1)?;
        let mut all: Option<Expression> = None;
        loop {
            if self.accept_word("is") {
                let negated = self.accept_word("not");
                if !self.accept_word("None") {
                    return Err(self.expected("`None`"));
                }
                let mut kind = Kind::IsNone(Box::new(left));
                let span = self.since(start);
                if negated {
                    kind = Kind::Unary(Sign::Not, Box::new(Expression { kind, span }));
                }
                return Ok(Expression { kind, span });
            }
            let Some(operator) = self.operator(0) else { break };
            let right = self.level(1)?;
            let one = self.binary(operator, left, right.clone(), start);
            all = Some(match all {
                None => one,
                Some(before) => self.binary(Operator::And, before, one, start),
            });
            left = right;
        }
        Ok(all.unwrap_or(left))
    }

    fn level(&mut self, level: usize) -> Read<Expression> {
        if level == LEVELS.len() {
            return self.unary();
        }
        let start = self.span();
        let mut left = self.level(level + 1)?;
        let mut length = 0;
        while let Some(operator) = self.operator(level) {
            length += 1;
            if length > DEPTH {
                return Err(Problem::new(self.span(), DEEP));
            }
            let right = self.level(level + 1)?;
            left = self.binary(operator, left, right, start);
        }
        Ok(left)
    }

    fn unary(&mut self) -> Read<Expression> {
        let start = self.span();
        let signs = [("-", Sign::Minus), ("+", Sign::Plus), ("~", Sign::Invert)];
        for (mark, sign) in signs {
            if self.accept(mark) {
                let inner = self.deeper(Self::unary)?;
                return Ok(Expression { kind: Kind::Unary(sign, Box::new(inner)), span: self.since(start) });
            }
        }
        let base = self.postfix()?;
        if self.accept("**") {
            let power = self.deeper(Self::unary)?;
            return Ok(self.binary(Operator::Power, base, power, start));
        }
        Ok(base)
    }

    fn postfix(&mut self) -> Read<Expression> {
        let start = self.span();
        let mut value = self.atom()?;
        loop {
            let opened = self.span();
            if self.accept("[") {
                let items = self.items(opened)?;
                value = Expression { kind: Kind::Index(Box::new(value), items), span: self.since(start) };
            } else if *self.token() == Token::Mark(".") && matches!(self.ahead(1), Token::Name(_)) {
                self.advance();
                let name = self.name("a name")?;
                let opened = self.span();
                let kind = match self.accept("(") {
                    true => Kind::Method(Box::new(value), name, self.arguments(opened)?),
                    false => Kind::Attribute(Box::new(value), name),
                };
                value = Expression { kind, span: self.since(start) };
            } else if *self.token() == Token::Mark("(") {
                return Err(Problem::new(opened, "only functions can be called, by their names"));
            } else {
                return Ok(value);
            }
        }
    }

    fn items(&mut self, opened: Span) -> Read<Vec<Item>> {
        let mut items = Vec::new();
        while !self.accept("]") {
            items.push(self.deeper(Self::item)?);
            if !self.accept(",") {
                self.expect("]", Some(opened))?;
                break;
            }
        }
        if items.is_empty() {
            return Err(Problem::new(opened, "expected an index"));
        }
        Ok(items)
    }

    fn item(&mut self) -> Read<Item> {
        if self.accept("...") {
            return Ok(Item::Rest);
        }
        if self.accept_word("None") || self.accept_word("newaxis") {
            return Ok(Item::New);
        }
        let mut parts = [None, None, None];
        for at in 0..3 {
            if !matches!(self.token(), Token::Mark(":" | "," | "]")) {
                parts[at] = Some(Box::new(self.expression()?));
            }
            if at == 2 || !self.accept(":") {
                return match (at, parts) {
                    (0, [Some(index), None, None]) => Ok(Item::At(*index)),
                    (0, _) => Err(self.expected("an index")),
                    (_, parts) => Ok(Item::Slice(parts)),
                };
            }
        }
        Err(self.expected("an index"))
    }

    fn atom(&mut self) -> Read<Expression> {
        let start = self.span();
        let token = self.token().clone();
        match token {
            Token::Number(value, whole) => {
                self.advance();
                Ok(Expression { kind: Kind::Number(value, whole), span: start })
            }
            Token::Text(text) => {
                self.advance();
                Ok(Expression { kind: Kind::Text(text.to_owned()), span: start })
            }
            Token::Name(_) => {
                let name = self.name("a name")?;
                if *self.token() == Token::Mark("(") {
                    return self.call(name);
                }
                Ok(Expression { kind: Kind::Name(name.text), span: start })
            }
            Token::Mark("(") => {
                self.advance();
                if *self.token() == Token::Mark(")") {
                    self.advance();
                    return Ok(Expression { kind: Kind::List(Vec::new()), span: self.since(start) });
                }
                let first = self.expression()?;
                if *self.token() != Token::Mark(",") {
                    self.expect(")", Some(start))?;
                    return Ok(Expression { span: self.since(start), ..first });
                }
                let items = self.rest_of_list(first, ")", start)?;
                Ok(Expression { kind: Kind::List(items), span: self.since(start) })
            }
            Token::Mark("[") => {
                self.advance();
                if self.accept("]") {
                    return Ok(Expression { kind: Kind::List(Vec::new()), span: self.since(start) });
                }
                let first = self.expression()?;
                let items = self.rest_of_list(first, "]", start)?;
                Ok(Expression { kind: Kind::List(items), span: self.since(start) })
            }
            _ => Err(self.expected("a value")),
        }
    }

    fn rest_of_list(
        &mut self,
        first: Expression,
        close: &'static str,
        opened: Span,
    ) -> Read<Vec<Expression>> {
        let mut items = vec![first];
        while self.accept(",") {
            if *self.token() == Token::Mark(close) {
                break;
            }
            items.push(self.expression()?);
        }
        self.expect(close, Some(opened))?;
        Ok(items)
    }

    fn call(&mut self, function: Name) -> Read<Expression> {
        let opened = self.span();
        let start = function.span;
        let letters = self.has_letters();
        self.expect("(", None)?;
        let kind = match letters {
            true => {
                let mut letters = Vec::new();
                loop {
                    let name = self.name("a letter")?;
                    let range = match self.accept_word("in") {
                        true => Some(self.range()?),
                        false => None,
                    };
                    letters.push(Letter { name, range });
                    if !self.accept(",") {
                        break;
                    }
                }
                self.expect(":", None)?;
                let body = self.expression()?;
                self.expect(")", Some(opened))?;
                Kind::Over(function, letters, Box::new(body))
            }
            false => Kind::Call(function, self.arguments(opened)?),
        };
        Ok(Expression { kind, span: self.since(start) })
    }

    /// `0..N`, `range(N)`, `range(1, N)`.
    fn range(&mut self) -> Read<(Expression, Expression)> {
        let start = self.span();
        if self.accept_word("range") {
            let opened = self.span();
            self.expect("(", None)?;
            let mut arguments = self.arguments(opened)?.into_iter().map(|argument| argument.value);
            let zero =
                Expression { kind: Kind::Number(BigRational::from_integer(0.into()), true), span: start };
            return match (arguments.next(), arguments.next(), arguments.next()) {
                (Some(end), None, None) => Ok((zero, end)),
                (Some(first), Some(end), None) => Ok((first, end)),
                _ => Err(Problem::new(start, "a range is `range(N)`, `range(1, N)` or `1..N`")),
            };
        }
        let first = self.deeper(|parser| parser.level(1))?;
        self.expect("..", None)?;
        let end = self.deeper(|parser| parser.level(1))?;
        Ok((first, end))
    }

    /// Whether the bracket that opens here has a `:` of its own.
    fn has_letters(&self) -> bool {
        let mut depth = 0usize;
        for placed in &self.tokens[self.at..] {
            match placed.token {
                Token::Mark("(" | "[" | "{") => depth += 1,
                Token::Mark(")" | "]" | "}") if depth <= 1 => return false,
                Token::Mark(")" | "]" | "}") => depth -= 1,
                Token::Mark(":") if depth == 1 => return true,
                Token::End => return false,
                _ => {}
            }
        }
        false
    }

    fn arguments(&mut self, opened: Span) -> Read<Vec<Argument>> {
        let mut arguments: Vec<Argument> = Vec::new();
        while !self.accept(")") {
            let named = matches!(self.token(), Token::Name(_)) && *self.ahead(1) == Token::Mark("=");
            let name = match named {
                true => {
                    let name = self.name("a name")?;
                    self.advance();
                    Some(name)
                }
                false => None,
            };
            let value = self.expression()?;
            if name.is_none() && arguments.iter().any(|argument| argument.name.is_some()) {
                return Err(Problem::new(value.span, "arguments without a name come before those with one"));
            }
            arguments.push(Argument { name, value });
            if !self.accept(",") {
                self.expect(")", Some(opened))?;
                break;
            }
        }
        Ok(arguments)
    }
}

/// How high the tree of an expression is, found without recursion.
fn height(expression: &Expression) -> usize {
    let (mut highest, mut open) = (0, vec![(expression, 1)]);
    while let Some((expression, height)) = open.pop() {
        highest = highest.max(height);
        open.extend(expression.parts().into_iter().map(|part| (part, height + 1)));
    }
    highest
}
