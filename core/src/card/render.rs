//! From a draft to Markdown: the one function between every draft and every card, so that nothing that a
//! model wrote is active in the file.
